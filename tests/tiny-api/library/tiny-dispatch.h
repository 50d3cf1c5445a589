/* The functions behind the exported ones: the driver's, or those that an entry library put in their places. */
#pragma once

#include "tiny.h"

typedef struct
{
  TnContext (*CreateContext) (TnContext share, uint32_t width, uint32_t height);
  void (*DestroyContext) (TnContext context);
  uint32_t (*MakeCurrent) (TnContext context);
  void (*Gen) (TnKind kind, uint32_t n, uint32_t *names);
  void (*Delete) (TnKind kind, uint32_t n, const uint32_t *names);
  void (*Bind) (TnKind kind, uint32_t name);
  void (*PictureData) (uint32_t width, uint32_t height, const void *texels);
  void (*StoreData) (size_t size, const void *bytes);
  void (*Pointer) (uint32_t stride, const void *points);
  void (*Pen) (uint32_t rgba);
  void (*Draw) (uint32_t first, uint32_t count);
  void (*Read) (size_t size, void *texels);
  void (*Flush) (void);
  void (*Swap) (void);
  uint32_t (*GetError) (void);
} TnFunctions;

extern const TnFunctions tn_driver;
