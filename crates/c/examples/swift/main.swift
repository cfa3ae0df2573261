// Restores standard input. With the header, module.modulemap and this file in a folder:
// swiftc -I . -L LIBRARIES main.swift
import CMajuscule

struct RestoreError: Error, CustomStringConvertible {
    let description: String
}

/// Throws the error of a call and frees it.
func check(_ code: mj_code, _ error: OpaquePointer?) throws {
    guard code != MJ_OK else { return }
    var error = error
    defer { mj_error_free(&error) }
    throw RestoreError(description: String(cString: mj_error_message(error)))
}

/// A model. It does not change, so any number of tasks may use it.
final class Model: @unchecked Sendable {
    private var handle: OpaquePointer?

    init(language: String) throws {
        var error: OpaquePointer?
        try check(mj_model_embedded(language, nil, &handle, &error), error)
    }

    deinit {
        mj_model_free(&handle)
    }

    /// Restores a text; options are JSON.
    func restore(_ text: String, options: String? = nil) throws -> String {
        var text = text
        var restored = mj_string()
        var error: OpaquePointer?
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                mj_restore(handle, chars.baseAddress, chars.count, options, &restored, &error)
            }
        }
        try check(code, error)
        defer { mj_string_free(&restored) }
        let bytes = UnsafeRawBufferPointer(start: restored.data, count: restored.length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

let model = try Model(language: "en")
while let line = readLine() {
    print(try model.restore(line, options: #"{"marks": true}"#))
}
