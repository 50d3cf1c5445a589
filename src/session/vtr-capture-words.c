/* Applies capture options that a script sends as text ("at-frame=1000&frames=3&trim") to the
 * settings of the capture form. */
#include "vtr-config.h"

#include "session/vtr-capture-words.h"

#include <glib/gi18n.h>

#include "engine/capture/vtr-capture-session.h"

/* A word and the setting that it makes. */
static const struct
{
  const char *word;
  const char *key;
  int begins; /* VtrCaptureTrigger; -1: does not say when */
} options[] = {
  { "idle", NULL, VTR_CAPTURE_BY_HAND },
  { "at-frame", "capture-at-frame", VTR_CAPTURE_AT_FRAME },
  { "after", "capture-after", VTR_CAPTURE_AFTER_SECONDS },
  { "frames", "capture-frames-each", -1 },
  { "every", "capture-every", -1 },
  { "times", "capture-times", -1 },
  { "trim", "capture-trim", -1 },
  { "wait", "capture-wait", -1 },
  { "only", "capture-only", -1 },
  { "not", "capture-not", -1 },
  { "tracker", "capture-tracker", -1 },
  { "pass-extension", "capture-pass-extensions", -1 },
  { "keep-running", "capture-keep-running", -1 },
  { "crash-mode", "capture-crash-mode", -1 },
};

/* In the order of "capture-begin". */
static const VtrCaptureTrigger triggers[] = {
  VTR_CAPTURE_FROM_LAUNCH,
  VTR_CAPTURE_BY_HAND,
  VTR_CAPTURE_AT_FRAME,
  VTR_CAPTURE_AFTER_SECONDS,
};

static gboolean
complain (GError **error, const char *word)
{
  g_set_error (error, VTR_CAPTURE_ERROR, VTR_CAPTURE_ERROR_OPTIONS,
               _ ("“%s” is not an option of a capture, or its value is not valid"), word);
  return FALSE;
}

/* @text as a value of the setting @key; NULL: not a valid value. (transfer full) */
static GVariant *
parse (GSettingsSchemaKey *key, const char *text)
{
  const GVariantType *type = g_settings_schema_key_get_value_type (key);
  g_autoptr (GVariant) value = NULL;
  guint64 number;
  char *end;

  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    value = text == NULL ? g_variant_ref_sink (g_variant_new_boolean (TRUE)) : NULL;
  else if (text == NULL)
    return NULL;
  else if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    value = g_variant_ref_sink (g_variant_new_string (text));
  else if (g_variant_type_equal (type, G_VARIANT_TYPE_DOUBLE))
    {
      double seconds = g_ascii_strtod (text, &end);

      if (end != text && *end == '\0' && seconds >= 0)
        value = g_variant_ref_sink (g_variant_new_double (seconds));
    }
  else if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &number, NULL))
    value = g_variant_ref_sink (g_variant_new_uint32 ((guint32)number));
  return value != NULL && g_settings_schema_key_range_check (key, value)
           ? g_variant_ref (value)
           : NULL;
}

typedef struct
{
  GSettingsSchema *schema;
  GHashTable *values; /* key → GVariant */
  int trigger;
  const char *frames; /* of @words */
} Parsed;

static gboolean
take_word (Parsed *parsed, const char *word, const char *value)
{
  g_autoptr (GSettingsSchemaKey) key = NULL;
  GVariant *setting;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (options); i++)
    if (g_str_equal (options[i].word, word))
      break;
  if (i == G_N_ELEMENTS (options))
    return FALSE;
  if (options[i].begins >= 0)
    {
      if (parsed->trigger != VTR_CAPTURE_FROM_LAUNCH)
        return FALSE;
      parsed->trigger = options[i].begins;
    }
  if (options[i].key == NULL)
    return value == NULL;
  if (g_str_equal (word, "frames"))
    {
      parsed->frames = value;
      return value != NULL;
    }
  key = g_settings_schema_get_key (parsed->schema, options[i].key);
  setting = parse (key, value);
  if (setting == NULL)
    return FALSE;
  g_hash_table_replace (parsed->values, (gpointer)options[i].key, setting);
  return TRUE;
}

/* The frames of a recording from launch, or of each capture. */
static gboolean
take_frames (Parsed *parsed)
{
  gboolean launch = parsed->trigger == VTR_CAPTURE_FROM_LAUNCH;
  const char *name = launch ? "capture-frames" : "capture-frames-each";
  g_autoptr (GSettingsSchemaKey) key = g_settings_schema_get_key (parsed->schema, name);
  GVariant *setting;

  if (parsed->frames == NULL)
    return TRUE;
  /* Without "frames", a recording from launch ends with the program. */
  if (launch && g_str_equal (parsed->frames, "0"))
    {
      g_hash_table_replace (parsed->values, (gpointer) "capture-stop",
                            g_variant_ref_sink (g_variant_new_boolean (FALSE)));
      return TRUE;
    }
  setting = parse (key, parsed->frames);
  if (setting == NULL)
    return FALSE;
  g_hash_table_replace (parsed->values, (gpointer)name, setting);
  return TRUE;
}

static void
apply (const Parsed *parsed, GSettings *settings)
{
  GHashTableIter iter;
  gpointer key, value;

  g_settings_reset (settings, "capture-stop");
  g_settings_reset (settings, "capture-frames");
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (options[i].key != NULL)
      g_settings_reset (settings, options[i].key);
  for (guint i = 0; i < G_N_ELEMENTS (triggers); i++)
    if ((int)triggers[i] == parsed->trigger)
      g_settings_set_uint (settings, "capture-begin", i);
  g_hash_table_iter_init (&iter, parsed->values);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_settings_set_value (settings, key, value);
}

gboolean
vtr_capture_words_apply (const char *words, GSettings *settings, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (words, "&", -1);
  g_autoptr (GSettingsSchema) schema = NULL;
  g_autoptr (GHashTable) values =
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_variant_unref);
  Parsed parsed = { .values = values, .trigger = VTR_CAPTURE_FROM_LAUNCH };

  g_object_get (settings, "settings-schema", &schema, NULL);
  parsed.schema = schema;
  for (char **part = parts; *part; part++)
    {
      g_autofree char *whole = g_strdup (*part);
      char *equals = strchr (*part, '=');

      if (**part == '\0')
        continue;
      if (equals)
        *equals++ = '\0';
      if (!take_word (&parsed, *part, equals))
        return complain (error, whole);
    }
  if (!take_frames (&parsed))
    {
      g_autofree char *whole = g_strconcat ("frames=", parsed.frames, NULL);

      return complain (error, whole);
    }
  apply (&parsed, settings);
  return TRUE;
}
