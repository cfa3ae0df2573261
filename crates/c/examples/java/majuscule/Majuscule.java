package majuscule;

import java.nio.charset.StandardCharsets;

/** A model, through JNI (majuscule_jni.c). Any number of threads may use it until it is closed. */
public final class Majuscule implements AutoCloseable {
    static {
        System.loadLibrary("majuscule_jni");
    }

    private long handle;

    /** Loads the built-in model of a language. */
    public Majuscule(String language) {
        handle = load(bytes(language + "\0"));
    }

    /** Restores a text; options are JSON. */
    public String restore(String text, String options) {
        if (handle == 0) {
            throw new IllegalStateException("the model is closed");
        }
        return new String(restore(handle, bytes(text), bytes(options + "\0")), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        free(handle);
        handle = 0;
    }

    // Bytes, since the strings of JNI are not UTF-8.
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static native long load(byte[] language);

    private static native byte[] restore(long model, byte[] text, byte[] options);

    private static native void free(long model);

    /** Restores standard input. */
    public static void main(String[] arguments) throws java.io.IOException {
        try (var model = new Majuscule("en")) {
            var text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
            System.out.write(bytes(model.restore(text, "{\"marks\": true}")));
            System.out.flush();
        }
    }
}
