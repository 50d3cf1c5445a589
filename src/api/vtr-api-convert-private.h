/* Conversion of memory between ABIs, for the decoder. Threading: any. */
#pragma once

#include "api/vtr-api-slot-private.h"
#include "api/vtr-api-walk.h"

/* One struct; @parent: the native struct around it, already converted up to here (nullable). */
void vtr_convert_struct (const VtrScope *parent,
                         VtrStructId     id,
                         VtrAbi          abi,
                         const uint8_t  *from,
                         uint8_t        *to);

/* @count innermost elements of @field. */
void vtr_convert_elements (const VtrScope    *scope,
                           const VtrApiField *field,
                           VtrAbi             abi,
                           const uint8_t     *from,
                           uint8_t           *to,
                           uint64_t           count);
