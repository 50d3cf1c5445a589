/* Writes the log: each call as one line of JSON. */
#include "vtr-mock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char *
reserve (MockText *self,
         size_t    size)
{
  if (self->size + size + 1 > self->room)
    {
      self->room = (self->room + size) * 2 + 1024;
      self->bytes = realloc (self->bytes, self->room);
      if (self->bytes == NULL)
        abort ();
    }
  return self->bytes + self->size;
}

static void
append (MockText   *self,
        const char *text,
        size_t      size)
{
  memcpy (reserve (self, size), text, size);
  self->size += size;
}

void
mock_text_raw (MockText   *self,
               const char *text)
{
  append (self, text, strlen (text));
}

void
mock_text_comma (MockText *self)
{
  if (!self->first)
    append (self, ",", 1);
  self->first = false;
}

void
mock_text_key (MockText   *self,
               const char *name)
{
  mock_text_comma (self);
  append (self, "\"", 1);
  mock_text_raw (self, name);
  append (self, "\":", 2);
}

void
mock_text_open (MockText *self,
                char      bracket)
{
  append (self, &bracket, 1);
  self->first = true;
}

void
mock_text_close (MockText *self,
                 char      bracket)
{
  append (self, &bracket, 1);
  self->first = false;
}

static void
append_format (MockText *self,
               const char *format,
               ...) __attribute__ ((format (printf, 2, 3)));

static void
append_format (MockText *self,
               const char *format,
               ...)
{
  char text[64];
  va_list list;

  va_start (list, format);
  vsnprintf (text, sizeof text, format, list);
  va_end (list);
  mock_text_raw (self, text);
}

void
mock_text_unsigned (MockText *self,
                    uint64_t  value)
{
  append_format (self, "%llu", (unsigned long long)value);
}

void
mock_text_signed (MockText *self,
                  int64_t   value)
{
  append_format (self, "%lld", (long long)value);
}

void
mock_text_double (MockText *self,
                  double    value)
{
  if (isnan (value) || isinf (value))
    append_format (self, "\"%g\"", value);
  else
    append_format (self, "%.17g", value);
}

void
mock_text_address (MockText *self,
                   uint64_t  value)
{
  append_format (self, "{\"address\":\"0x%llx\"}", (unsigned long long)value);
}

void
mock_text_string (MockText   *self,
                  const char *text,
                  size_t      room)
{
  append (self, "\"", 1);
  for (size_t i = 0; i < room && text[i] != '\0'; i++)
    if ((unsigned char)text[i] < 0x20 || text[i] == '"' || text[i] == '\\')
      append_format (self, "\\u%04x", (unsigned char)text[i]);
    else
      append (self, text + i, 1);
  append (self, "\"", 1);
}

void
mock_text_bytes (MockText   *self,
                 const void *bytes,
                 uint64_t    size)
{
  const uint8_t *at = bytes;

  mock_text_raw (self, "{\"hex\":\"");
  for (uint64_t i = 0; i < size; i++)
    append_format (self, "%02x", at[i]);
  mock_text_raw (self, "\"}");
}

void
mock_text_handle (MockText *self,
                  uint32_t  type,
                  uint64_t  value,
                  bool      checked)
{
  append_format (self, "\"0x%llx\"", (unsigned long long)value);
  if (!mock_config.strict || !checked || value == 0)
    return;
  mock_lock ();
  if (mock_find (self->owner, type, value) == NULL)
    mock_violation ("a handle 0x%llx of type %u that does not exist", (unsigned long long)value,
                    type);
  mock_unlock ();
}
