import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Restores standard input without any C, on Java 22 or later:
 * java --enable-native-access=ALL-UNNAMED Foreign.java LIBRARY
 */
public final class Foreign {
    private static final MemoryLayout STRING = MemoryLayout.structLayout(ADDRESS, JAVA_LONG);

    private final SymbolLookup library;

    private Foreign(String path) {
        library = SymbolLookup.libraryLookup(Path.of(path), Arena.global());
    }

    private MethodHandle function(String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), type);
    }

    /** Throws the error of a call unless its code is 0. */
    private void check(int code, MemorySegment error) throws Throwable {
        if (code != 0) {
            var message = function("mj_error_message", FunctionDescriptor.of(ADDRESS, ADDRESS));
            var text = (MemorySegment) message.invokeExact(error.get(ADDRESS, 0));
            var sentence = text.reinterpret(Long.MAX_VALUE).getString(0);
            function("mj_error_free", FunctionDescriptor.ofVoid(ADDRESS)).invokeExact(error);
            throw new IllegalArgumentException(sentence);
        }
    }

    private byte[] restore(byte[] text) throws Throwable {
        var load = function("mj_model_embedded", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
        var restore = function(
                "mj_restore",
                FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS));
        try (var arena = Arena.ofConfined()) {
            var error = arena.allocate(ADDRESS);
            var model = arena.allocate(ADDRESS);
            var restored = arena.allocate(STRING);
            check((int) load.invokeExact(arena.allocateFrom("en"), MemorySegment.NULL, model, error), error);
            var bytes = arena.allocate(text.length + 1L);
            MemorySegment.copy(text, 0, bytes, JAVA_BYTE, 0, text.length);
            var options = arena.allocateFrom("{\"marks\": true}");
            var handle = model.get(ADDRESS, 0);
            check((int) restore.invokeExact(handle, bytes, (long) text.length, options, restored, error), error);
            var found = restored.get(ADDRESS, 0).reinterpret(restored.get(JAVA_LONG, ADDRESS.byteSize()));
            var answer = found.toArray(JAVA_BYTE);
            function("mj_string_free", FunctionDescriptor.ofVoid(ADDRESS)).invokeExact(restored);
            function("mj_model_free", FunctionDescriptor.ofVoid(ADDRESS)).invokeExact(model);
            return answer;
        }
    }

    public static void main(String[] arguments) throws Throwable {
        System.out.write(new Foreign(arguments[0]).restore(System.in.readAllBytes()));
        System.out.flush();
    }
}
