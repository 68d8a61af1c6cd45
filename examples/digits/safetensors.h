/*
 * Reads one tensor of a safetensors file: eight bytes of header length (little-endian), a JSON header, the data.
 *
 * This is as much as the digits example needs, and no JSON reader: the header must hold no escapes, as those that
 * the safetensors package writes for plain names do. Both hosts share it, so it is C99 that C++ accepts.
 */
#ifndef DIGITS_SAFETENSORS_H
#define DIGITS_SAFETENSORS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct safetensors_file {
    char *bytes;        /* the whole file, freed by safetensors_close */
    size_t size;
    const char *header; /* NUL-terminated */
    const char *data;
    size_t data_size;
} safetensors_file;

typedef struct safetensors_tensor {
    const void *data; /* inside the file's memory */
    size_t bytes;
    int32_t ndim;
    int64_t shape[8];
} safetensors_tensor;

/* 0, or -1 where the file cannot be read or is no safetensors file. */
static inline int safetensors_open(const char *path, safetensors_file *file) {
    FILE *in = fopen(path, "rb");
    long length = -1;
    uint64_t header = 0;
    int k;
    memset(file, 0, sizeof *file);
    if (in == NULL) return -1;
    if (fseek(in, 0, SEEK_END) == 0) length = ftell(in);
    if (length >= 8 && fseek(in, 0, SEEK_SET) == 0) {
        file->size = (size_t)length;
        file->bytes = (char *)malloc(file->size + 1);
        if (file->bytes != NULL && fread(file->bytes, 1, file->size, in) != file->size) {
            free(file->bytes);
            file->bytes = NULL;
        }
    }
    fclose(in);
    if (file->bytes == NULL) return -1;
    for (k = 7; k >= 0; --k) header = header << 8 | (unsigned char)file->bytes[k];
    if (header > file->size - 8) {
        free(file->bytes);
        file->bytes = NULL;
        return -1;
    }
    /* The header moves to the front by eight bytes, which leaves room for its NUL. */
    memmove(file->bytes, file->bytes + 8, (size_t)header);
    file->bytes[header] = 0;
    file->header = file->bytes;
    file->data = file->bytes + 8 + header;
    file->data_size = file->size - 8 - (size_t)header;
    return 0;
}

/* 0, or -1 where the file has no tensor of that name and dtype ("F32", "I64", ...). */
static inline int safetensors_find(const safetensors_file *file, const char *name, const char *dtype,
                                   safetensors_tensor *tensor) {
    char key[128], *end;
    const char *at, *list;
    unsigned long long begin, stop;
    if (snprintf(key, sizeof key, "\"%s\":{", name) >= (int)sizeof key) return -1;
    at = strstr(file->header, key);
    if (at == NULL) return -1;
    at += strlen(key);
    if (snprintf(key, sizeof key, "\"dtype\":\"%s\"", dtype) >= (int)sizeof key) return -1;
    list = strstr(at, key);
    if (list == NULL || list > strchr(at, '}')) return -1;
    list = strstr(at, "\"shape\":[");
    if (list == NULL) return -1;
    memset(tensor, 0, sizeof *tensor);
    for (list += 9; *list != ']'; list = *end == ',' ? end + 1 : end) {
        if (tensor->ndim == 8) return -1;
        tensor->shape[tensor->ndim++] = strtoll(list, &end, 10);
        if (end == list) return -1;
    }
    at = strstr(at, "\"data_offsets\":[");
    if (at == NULL || sscanf(at + 16, "%llu,%llu", &begin, &stop) != 2) return -1;
    if (begin > stop || stop > file->data_size) return -1;
    tensor->data = file->data + begin;
    tensor->bytes = (size_t)(stop - begin);
    return 0;
}

static inline void safetensors_close(safetensors_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}

#endif
