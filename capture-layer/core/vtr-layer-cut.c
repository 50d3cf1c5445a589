/* Writes the first records of a recording that begins in the middle of a run. */
#include "vtr-layer-cut.h"

#include "api/vtr-api-types.h"
#include "wire/vtr-trace-objects.h"

#include <string.h>

void
vtr_cut_put_command (VtrLayerThread     *thread,
                     uint32_t            maker,
                     const VtrNamespace *names,
                     const VtrApiEnv    *env,
                     VtrCmdId            cmd,
                     const void         *args,
                     uint64_t            result)
{
  VtrBuffer *to = &thread->scratch;
  const size_t start = to->size;

  vtr_api_encode (to, cmd, args, result, maker != 0 ? maker : thread->id, 0,
                  VTR_COMMAND_FLAG_INITIAL, env != NULL ? env : &names->env);
  if (names->number != 0)
    vtr_api_encode_extra (to, VTR_EXTRA_NAMESPACE, &names->number, sizeof names->number);
  vtr_layer_thread_append (thread, cmd, 0, start);
}

static void
append_number (VtrBuffer *to,
               unsigned   field,
               uint32_t   value)
{
  if (value == 0)
    return;
  vtr_buffer_append_varint (to, field << 3 | 5);
  vtr_buffer_append_u32 (to, value);
}

static void
append_text (VtrBuffer  *to,
             unsigned    field,
             const char *text)
{
  vtr_buffer_append_varint (to, field << 3 | 2);
  vtr_buffer_append_varint (to, strlen (text));
  vtr_buffer_append (to, text, strlen (text));
}

void
vtr_cut_put_image (VtrLayerThread    *thread,
                   const VtrCutImage *image)
{
  static const char type[] = "vitrine.TexelContents";
  const uint16_t length = sizeof type - 1;
  VtrBuffer *to = &thread->scratch;
  const size_t start = to->size;

  vtr_buffer_append (to, &length, sizeof length);
  vtr_buffer_append (to, type, length);
  append_number (to, VTR_TEXEL_CONTENTS_THREAD, thread->id);
  vtr_api_encode_observation_at (to, (VtrCommandField)VTR_TEXEL_CONTENTS_READS, 0, image->texels,
                                 image->size);
  append_number (to, VTR_TEXEL_CONTENTS_NAMESPACE, image->names->number);
  append_text (to, VTR_TEXEL_CONTENTS_KIND, vtr_api_string (vtr_handle_get (image->kind)->name));
  vtr_buffer_append_u8 (to, VTR_TEXEL_CONTENTS_NAME << 3 | 1);
  vtr_buffer_append_u64 (to, image->name);
  append_text (to, VTR_TEXEL_CONTENTS_FORMAT, image->format);
  append_number (to, VTR_TEXEL_CONTENTS_LEVEL, image->level);
  append_number (to, VTR_TEXEL_CONTENTS_LAYER, image->layer);
  append_number (to, VTR_TEXEL_CONTENTS_WIDTH, image->width);
  append_number (to, VTR_TEXEL_CONTENTS_HEIGHT, image->height);
  append_number (to, VTR_TEXEL_CONTENTS_DEPTH, image->depth);
  append_number (to, VTR_TEXEL_CONTENTS_WORD, image->word);
  vtr_layer_thread_append (thread, VTR_RECORD_INFO, 0, start);
}
