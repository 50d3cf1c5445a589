/* VtrMemoryType itself: the kinds of numbers, and the layout of members. */
#pragma once

#include "engine/memory/vtr-memory-type.h"

G_BEGIN_DECLS

typedef enum
{
  VTR_NUMBER_UINT,
  VTR_NUMBER_INT,
  VTR_NUMBER_FLOAT,
  VTR_NUMBER_UNORM,
  VTR_NUMBER_SNORM,
  VTR_NUMBER_HEX,
  VTR_NUMBER_BOOL,
} VtrMemoryNumber;

typedef struct
{
  VtrMemoryType *type;
  char *name;
  guint64 offset;
} VtrMemoryMember;

struct _VtrMemoryType
{
  gatomicrefcount refs;
  VtrMemoryTypeKind kind;
  VtrMemoryNumber number; /* of the components */
  guint width;            /* bytes of a component */
  guint n_components;
  guint64 component_stride; /* from one component to the next: more than .width in row_major ones */
  guint64 size, align;
  guint64 stride;         /* said so; 0: by the layout */
  char *name;             /* STRUCT; NULL: none */
  GArray *members;        /* VtrMemoryMember; STRUCT */
  VtrMemoryType *element; /* ARRAY, MATRIX */
  guint64 n_elements;
  guint64 element_stride;
  gboolean ruled;     /* STRUCT: the layout's rules place a member of it */
  gboolean row_major; /* MATRIX */
  gboolean block;     /* STRUCT: stands once in a range, and is not repeated to its end */
  gboolean open;      /* an array without a length, or a structure that ends with one */
};

VtrMemoryType *vtr_memory_type_new (VtrMemoryTypeKind kind);

/* @width: bytes of a component. @n 1: a scalar. */
VtrMemoryType *vtr_memory_type_new_vector (VtrMemoryNumber number,
                                           guint           width,
                                           guint           n,
                                           VtrMemoryLayout layout);
/* Takes @element. @n 0: an open array. @stride: bytes from one element to the next; 0: by the layout. */
VtrMemoryType *vtr_memory_type_new_array (VtrMemoryTypeKind  kind,
                                          VtrMemoryType     *element,
                                          guint64            n,
                                          guint64            stride,
                                          VtrMemoryLayout    layout);
/* @stride: bytes from one column, or with @row_major row, to the next; 0: by the layout. */
VtrMemoryType *vtr_memory_type_new_matrix (VtrMemoryNumber number,
                                           guint           width,
                                           guint           columns,
                                           guint           rows,
                                           gboolean        row_major,
                                           guint64         stride,
                                           VtrMemoryLayout layout);

guint64 vtr_memory_round_up (guint64 value,
                             guint64 align);

G_END_DECLS
