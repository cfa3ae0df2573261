// Restores standard input through cgo. Where the library is not installed, CGO_CFLAGS and CGO_LDFLAGS name its folders.
package main

/*
#cgo LDFLAGS: -lmajuscule -lm
#include <majuscule.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// Model is a trained model. Any number of goroutines may use it; Close frees it.
type Model struct{ handle *C.mj_model }

// failure returns the error of a call and frees it.
func failure(code C.mj_code, err *C.mj_error) error {
	if code == C.MJ_OK {
		return nil
	}
	defer C.mj_error_free(&err)
	return errors.New(C.GoString(C.mj_error_message(err)))
}

// Embedded loads a built-in model.
func Embedded(language string) (*Model, error) {
	tag := C.CString(language)
	defer C.free(unsafe.Pointer(tag))
	var handle *C.mj_model
	var err *C.mj_error
	code := C.mj_model_embedded(tag, nil, &handle, &err)
	return &Model{handle}, failure(C.mj_code(code), err)
}

// Close frees the model.
func (model *Model) Close() { C.mj_model_free(&model.handle) }

// Restore restores a text; options are JSON.
func (model *Model) Restore(text, options string) (string, error) {
	bytes, json := C.CString(text), C.CString(options)
	defer C.free(unsafe.Pointer(bytes))
	defer C.free(unsafe.Pointer(json))
	var restored C.mj_string
	var err *C.mj_error
	code := C.mj_restore(model.handle, bytes, C.size_t(len(text)), json, &restored, &err)
	defer C.mj_string_free(&restored)
	return string(C.GoBytes(unsafe.Pointer(restored.data), C.int(restored.length))), failure(C.mj_code(code), err)
}

func run() error {
	model, err := Embedded("en")
	if err != nil {
		return err
	}
	defer model.Close()
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	restored, err := model.Restore(string(text), `{"marks": true}`)
	fmt.Print(restored)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
