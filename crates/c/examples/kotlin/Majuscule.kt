package majuscule

/**
 * A model, through the native methods of java/majuscule_jni.c, for Android and the JVM. Any number of threads may use it
 * until it is closed.
 */
class Majuscule(language: String) : AutoCloseable {
    private var handle = load("$language\u0000".encodeToByteArray())

    /** Restores a text; options are JSON. */
    fun restore(text: String, options: String = "{}"): String {
        check(handle != 0L) { "the model is closed" }
        return restore(handle, text.encodeToByteArray(), "$options\u0000".encodeToByteArray()).decodeToString()
    }

    override fun close() {
        free(handle)
        handle = 0
    }

    private companion object {
        init {
            System.loadLibrary("majuscule_jni")
        }

        // Static, so that their names in C are Java_majuscule_Majuscule_load and so on.
        @JvmStatic
        external fun load(language: ByteArray): Long

        @JvmStatic
        external fun restore(model: Long, text: ByteArray, options: ByteArray): ByteArray

        @JvmStatic
        external fun free(model: Long)
    }
}
