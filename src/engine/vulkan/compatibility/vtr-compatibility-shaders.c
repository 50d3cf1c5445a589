/* Compares what shaders declare (capabilities and extensions of SPIR-V, sizes of work groups) with
 * what the device supports. The tables come from the registry (vtr-device-tables.h). */
#include "vtr-config.h"

#include "engine/vulkan/compatibility/vtr-compatibility-private.h"
#include "engine/vulkan/compatibility/vtr-device-tables.h"

#include <glib/gi18n-lib.h>
#include <spirv.h>
#include <string.h>

#include "vtr-api-args.h"

#define HEADER 5 /* words before the first instruction */

/* Whether @need is another way to have what @first is one to. */
static gboolean
is_alternative (const VtrShaderNeed *need,
                const VtrShaderNeed *first)
{
  return need < vtr_shader_needs + vtr_n_shader_needs &&
         strcmp (need->declared, first->declared) == 0;
}

/* --- Modules --------------------------------------------------------------------------------- */

static void
declare (VtrCompatibilityScan *self,
         const VtrShaderNeed  *first)
{
  for (const VtrShaderNeed *need = first; is_alternative (need, first); need++)
    if (vtr_shader_need_is_met (need, self->target))
      {
        g_hash_table_add (self->declared, (gpointer)first->declared);
        return;
      }
  if (!g_hash_table_contains (self->lacking, first->declared))
    g_hash_table_insert (self->lacking, (gpointer)first->declared,
                         GSIZE_TO_POINTER (self->command->index + 1));
}

static void
declare_capability (VtrCompatibilityScan *self,
                    guint32               capability)
{
  for (gsize i = 0; i < vtr_n_shader_needs; i++)
    if (vtr_shader_needs[i].capability == capability)
      {
        declare (self, &vtr_shader_needs[i]);
        return;
      }
}

static void
declare_extension (VtrCompatibilityScan *self,
                   const char           *name,
                   gsize                 size)
{
  for (gsize i = 0; i < vtr_n_shader_needs; i++)
    if (vtr_shader_needs[i].capability == VTR_SHADER_EXTENSION &&
        strncmp (vtr_shader_needs[i].declared, name, size) == 0 &&
        strlen (vtr_shader_needs[i].declared) < size)
      {
        declare (self, &vtr_shader_needs[i]);
        return;
      }
}

static void
check_group (VtrCompatibilityScan *self,
             const char           *size,
             const char           *invocations,
             const guint32         group[3])
{
  for (guint i = 0; i < 3; i++)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, size, i, group[i]);
  vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, invocations, 0,
                                 (double)group[0] * group[1] * group[2]);
}

static void
check_mode (VtrCompatibilityScan *self,
            guint32               model,
            const guint32        *words, /* of OpExecutionMode, from its mode on */
            gsize                 n)
{
  if (words[0] == SpvExecutionModeLocalSize && n >= 4)
    switch (model)
      {
      case SpvExecutionModelGLCompute:
        check_group (self, "maxComputeWorkGroupSize", "maxComputeWorkGroupInvocations", words + 1);
        break;
      case SpvExecutionModelTaskEXT:
        check_group (self, "maxTaskWorkGroupSize", "maxTaskWorkGroupInvocations", words + 1);
        break;
      case SpvExecutionModelMeshEXT:
        check_group (self, "maxMeshWorkGroupSize", "maxMeshWorkGroupInvocations", words + 1);
        break;
      default:
        break;
      }
  else if (words[0] == SpvExecutionModeOutputVertices && n >= 2)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR,
                                   model == SpvExecutionModelGeometry  ? "maxGeometryOutputVertices"
                                   : model == SpvExecutionModelMeshEXT ? "maxMeshOutputVertices"
                                                                       : "maxTessellationPatchSize",
                                   0, words[1]);
  else if (words[0] == SpvExecutionModeInvocations && n >= 2)
    vtr_compatibility_check_limit (self, VTR_COMPATIBILITY_ERROR, "maxGeometryShaderInvocations", 0,
                                   words[1]);
}

/* Everything before the first type: capabilities, extensions, entry points and their modes. */
static void
scan_module (VtrCompatibilityScan *self,
             const guint32        *code,
             gsize                 n)
{
  g_autoptr (GHashTable) models = g_hash_table_new (NULL, NULL); /* entry point → model + 1 */

  for (gsize at = HEADER, length; at < n; at += length)
    {
      const guint32 *words = code + at;

      length = words[0] >> SpvWordCountShift;
      if (length == 0 || length > n - at)
        return;
      switch (words[0] & SpvOpCodeMask)
        {
        case SpvOpCapability:
          if (length >= 2)
            declare_capability (self, words[1]);
          break;
        case SpvOpExtension:
          declare_extension (self, (const char *)(words + 1), (length - 1) * sizeof *words);
          break;
        case SpvOpEntryPoint:
          if (length >= 3)
            g_hash_table_insert (models, GUINT_TO_POINTER (words[2]),
                                 GUINT_TO_POINTER (words[1] + 1));
          break;
        case SpvOpExecutionMode:
          if (length >= 3)
            check_mode (self,
                        GPOINTER_TO_UINT (g_hash_table_lookup (models,
                                                               GUINT_TO_POINTER (words[1]))) -
                          1,
                        words + 2, length - 2);
          break;
        case SpvOpTypeVoid:
        case SpvOpTypeFunction:
        case SpvOpFunction:
          return;
        default:
          break;
        }
    }
}

void
vtr_compatibility_scan_shaders (VtrCompatibilityScan *self)
{
  const VkShaderModuleCreateInfo *info;
  gsize n;

  if (vtr_cmd_canonical (self->command->id) != VTR_CMD_vkCreateShaderModule)
    return;
  info = ((const VtrArgs_vkCreateShaderModule *)self->command->args)->pCreateInfo;
  n = info != NULL && info->pCode != NULL ? info->codeSize / sizeof *info->pCode : 0;
  if (n > HEADER && info->pCode[0] == SpvMagicNumber)
    scan_module (self, info->pCode, n);
}

/* --- The end --------------------------------------------------------------------------------- */

/* Names a feature as used where the trace enabled it. Returns: whether it did. */
static gboolean
use_features (VtrCompatibilityScan *self,
              const VtrShaderNeed  *first,
              gpointer              index)
{
  gboolean found = FALSE;

  for (const VtrShaderNeed *need = first; is_alternative (need, first); need++)
    if (need->kind == VTR_NEED_FEATURE && g_hash_table_contains (self->missing, need->name))
      {
        if (!g_hash_table_contains (self->used, need->name))
          g_hash_table_insert (self->used, (gpointer)need->name, index);
        found = TRUE;
      }
  return found;
}

void
vtr_compatibility_end_shaders (VtrCompatibilityScan *self)
{
  const char *device = vtr_replay_plan_get_target (self->plan, 0)->properties.deviceName;

  for (gsize i = 0; i < vtr_n_shader_needs; i++)
    {
      const VtrShaderNeed *first = &vtr_shader_needs[i];
      gpointer index = g_hash_table_lookup (self->lacking, first->declared);

      if (index == NULL || (i > 0 && is_alternative (first - 1, first)) ||
          use_features (self, first, index))
        continue;
      /* The program did not enable what its shader declares, or it cannot be enabled. */
      vtr_compatibility_add (self->findings, VTR_COMPATIBILITY_WARNING, "feature",
                             GPOINTER_TO_SIZE (index) - 1,
                             _ ("%s does not report support for shaders that declare %s."), device,
                             first->declared);
    }
}

gboolean
vtr_compatibility_shaders_tell (VtrCompatibilityScan *self,
                                const char           *feature)
{
  gboolean found = FALSE;

  for (gsize i = 0; i < vtr_n_shader_needs; i++)
    if (vtr_shader_needs[i].kind == VTR_NEED_FEATURE &&
        strcmp (vtr_shader_needs[i].name, feature) == 0)
      {
        /* The shader may use another one of the alternatives, or this one. */
        if (g_hash_table_contains (self->declared, vtr_shader_needs[i].declared))
          return FALSE;
        found = TRUE;
      }
  return found;
}
