/* Programs of OpenGL ES to try Vitrine on; they need no window: gl-triangles PART FRAMES. Plain EGL
 * and libc: no product dependency may appear here.
 *
 *   turning   one triangle from a buffer, turned by a uniform; each frame ends with a swap
 *   sharing   a second thread with a context of its own uploads a picture in each frame, and lets
 *             the first one draw with it by a condition alone, without a flush: in the trace the
 *             upload has to come first
 *   passed    one context, current on two threads in turns
 *   arrays    vertices and indices in the program's own memory, which changes from draw to draw; a
 *             picture that is a part of a larger one in memory */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EGL_PLATFORM_SURFACELESS_MESA
#define EGL_PLATFORM_SURFACELESS_MESA 0x31DD
#endif

#define SIDE 64

static EGLDisplay display;
static EGLConfig config;
static int n_frames;

static _Noreturn void
give_up (const char *what)
{
  fprintf (stderr, "gl-triangles: %s (EGL 0x%x)\n", what, eglGetError ());
  /* Meson takes 77 for a test that cannot run here. */
  exit (77);
}

static void
check (bool        fine,
       const char *what)
{
  if (!fine)
    {
      fprintf (stderr, "gl-triangles: %s failed (EGL 0x%x)\n", what, eglGetError ());
      exit (1);
    }
}

static void
open_display (void)
{
  static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8,
                                   EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8,
                                   EGL_DEPTH_SIZE, 24, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
                                   EGL_NONE };
  EGLint n = 0;

  display = eglGetPlatformDisplay (EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  if (display == EGL_NO_DISPLAY || !eglInitialize (display, NULL, NULL))
    give_up ("no surfaceless display");
  if (!eglChooseConfig (display, wanted, &config, 1, &n) || n == 0)
    give_up ("no configuration");
  check (eglBindAPI (EGL_OPENGL_ES_API), "eglBindAPI");
}

static EGLContext
make_context (EGLContext share)
{
  static const EGLint wanted[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
  EGLContext context = eglCreateContext (display, config, share, wanted);

  check (context != EGL_NO_CONTEXT, "eglCreateContext");
  return context;
}

static EGLSurface
make_surface (void)
{
  static const EGLint wanted[] = { EGL_WIDTH, SIDE, EGL_HEIGHT, SIDE, EGL_NONE };
  EGLSurface surface = eglCreatePbufferSurface (display, config, wanted);

  check (surface != EGL_NO_SURFACE, "eglCreatePbufferSurface");
  return surface;
}

static void
make_current (EGLSurface surface,
              EGLContext context)
{
  check (eglMakeCurrent (display, surface, surface, context), "eglMakeCurrent");
}

static GLuint
make_shader (GLenum      kind,
             const char *text)
{
  GLuint shader = glCreateShader (kind);
  GLint fine = 0;

  glShaderSource (shader, 1, &text, NULL);
  glCompileShader (shader);
  glGetShaderiv (shader, GL_COMPILE_STATUS, &fine);
  check (fine != 0, "glCompileShader");
  return shader;
}

static GLuint
make_program (const char *fragment_text)
{
  static const char vertex_text[] = "#version 300 es\n"
                                    "uniform mat4 turn; layout (location = 0) in vec2 place;\n"
                                    "out vec2 where;\n"
                                    "void main () { where = place * 0.5 + 0.5;\n"
                                    "  gl_Position = turn * vec4 (place, 0.0, 1.0); }\n";
  GLuint program = glCreateProgram (), vertex = make_shader (GL_VERTEX_SHADER, vertex_text),
         fragment = make_shader (GL_FRAGMENT_SHADER, fragment_text);
  GLint fine = 0;

  glAttachShader (program, vertex);
  glAttachShader (program, fragment);
  glLinkProgram (program);
  glGetProgramiv (program, GL_LINK_STATUS, &fine);
  check (fine != 0, "glLinkProgram");
  glDeleteShader (vertex);
  glDeleteShader (fragment);
  return program;
}

/* What the parts draw with. */
static GLint
prepare (const char *fragment_text)
{
  static const float places[] = { -0.8f, -0.6f, 0.8f, -0.6f, 0.0f, 0.9f };
  GLuint buffer, program = make_program (fragment_text);

  glGenBuffers (1, &buffer);
  glBindBuffer (GL_ARRAY_BUFFER, buffer);
  glBufferData (GL_ARRAY_BUFFER, sizeof places, places, GL_STATIC_DRAW);
  glVertexAttribPointer (0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
  glEnableVertexAttribArray (0);
  glUseProgram (program);
  glViewport (0, 0, SIDE, SIDE);
  return glGetUniformLocation (program, "turn");
}

static void
draw (GLint turn,
      int   frame)
{
  /* Corners of a square, a step in each frame. */
  static const float corners[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  const float *at = corners[frame % 4];
  const float matrix[16] = { at[0], at[1], 0, 0, -at[1], at[0], 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };

  glClearColor (0.25f, 0.5f, 0.75f, 1);
  glClear (GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glUniformMatrix4fv (turn, 1, GL_FALSE, matrix);
  glDrawArrays (GL_TRIANGLES, 0, 3);
}

#define FLAT \
  "#version 300 es\nprecision highp float; in vec2 where; out vec4 colour;\n" \
  "void main () { colour = vec4 (where, 0.0, 1.0); }\n"
#define TEXTURED \
  "#version 300 es\nprecision highp float; in vec2 where; out vec4 colour;\n" \
  "uniform sampler2D picture;\n" \
  "void main () { colour = texture (picture, where); }\n"

static void
run_turning (void)
{
  EGLContext context = make_context (EGL_NO_CONTEXT);
  EGLSurface surface = make_surface ();
  GLint turn;

  make_current (surface, context);
  turn = prepare (FLAT);
  for (int frame = 0; frame < n_frames; frame++)
    {
      draw (turn, frame);
      check (eglSwapBuffers (display, surface), "eglSwapBuffers");
    }
  check (glGetError () == GL_NO_ERROR, "glGetError");
}

/* ---- Two threads that take turns ---- */

static struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int turn; /* of 0 or 1 */
  GLuint picture;
  EGLContext context;
  EGLSurface surface;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void
wait_for_turn (int mine)
{
  pthread_mutex_lock (&shared.lock);
  while (shared.turn != mine)
    pthread_cond_wait (&shared.changed, &shared.lock);
  pthread_mutex_unlock (&shared.lock);
}

static void
pass_turn (int mine)
{
  pthread_mutex_lock (&shared.lock);
  shared.turn = !mine;
  pthread_cond_broadcast (&shared.changed);
  pthread_mutex_unlock (&shared.lock);
}

static void *
upload (void *data)
{
  uint8_t texels[4][4] = { { 0 } };

  check (eglBindAPI (EGL_OPENGL_ES_API), "eglBindAPI");
  make_current (make_surface (), data);
  for (int frame = 0; frame < n_frames; frame++)
    {
      wait_for_turn (1);
      for (int i = 0; i < 4; i++)
        texels[i][0] = (uint8_t)(frame * 16 + i), texels[i][3] = 255;
      /* A new name in each frame. */
      glGenTextures (1, &shared.picture);
      glBindTexture (GL_TEXTURE_2D, shared.picture);
      glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      pass_turn (1);
    }
  make_current (EGL_NO_SURFACE, EGL_NO_CONTEXT);
  return NULL;
}

static void
run_sharing (void)
{
  EGLContext context = make_context (EGL_NO_CONTEXT), other = make_context (context);
  EGLSurface surface = make_surface ();
  pthread_t thread;
  GLint turn;

  make_current (surface, context);
  turn = prepare (TEXTURED);
  check (pthread_create (&thread, NULL, upload, other) == 0, "pthread_create");
  for (int frame = 0; frame < n_frames; frame++)
    {
      pass_turn (0);
      wait_for_turn (0);
      glBindTexture (GL_TEXTURE_2D, shared.picture);
      draw (turn, frame);
      check (eglSwapBuffers (display, surface), "eglSwapBuffers");
    }
  pthread_join (thread, NULL);
  check (glGetError () == GL_NO_ERROR, "glGetError");
}

static void *
draw_others (void *data)
{
  const int mine = data != NULL;
  GLint turn = mine ? -1 : prepare (FLAT);

  check (eglBindAPI (EGL_OPENGL_ES_API), "eglBindAPI");
  for (int frame = mine; frame < n_frames; frame += 2)
    {
      wait_for_turn (mine);
      make_current (shared.surface, shared.context);
      if (turn < 0)
        {
          GLint program;

          glGetIntegerv (GL_CURRENT_PROGRAM, &program);
          turn = glGetUniformLocation ((GLuint)program, "turn");
        }
      draw (turn, frame);
      check (eglSwapBuffers (display, shared.surface), "eglSwapBuffers");
      make_current (EGL_NO_SURFACE, EGL_NO_CONTEXT);
      pass_turn (mine);
    }
  return NULL;
}

static void
run_passed (void)
{
  pthread_t thread;

  shared.context = make_context (EGL_NO_CONTEXT);
  shared.surface = make_surface ();
  make_current (shared.surface, shared.context);
  check (pthread_create (&thread, NULL, draw_others, &shared) == 0, "pthread_create");
  draw_others (NULL);
  pthread_join (thread, NULL);
}

/* ---- The program's own memory ---- */

/* The middle of a picture that is 8 texels wide in memory. */
static void
upload_part (void)
{
  uint8_t texels[6][8][4];
  GLuint picture;

  for (int y = 0; y < 6; y++)
    for (int x = 0; x < 8; x++)
      memcpy (texels[y][x], (const uint8_t[]){ (uint8_t)(y * 40), (uint8_t)(x * 30), 0, 255 }, 4);
  glGenTextures (1, &picture);
  glBindTexture (GL_TEXTURE_2D, picture);
  glTexParameteri (GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glPixelStorei (GL_UNPACK_ROW_LENGTH, 8);
  glPixelStorei (GL_UNPACK_SKIP_ROWS, 1);
  glPixelStorei (GL_UNPACK_SKIP_PIXELS, 2);
  glTexImage2D (GL_TEXTURE_2D, 0, GL_RGBA, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
  glPixelStorei (GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei (GL_UNPACK_SKIP_ROWS, 0);
  glPixelStorei (GL_UNPACK_SKIP_PIXELS, 0);
}

static void
run_arrays (void)
{
  EGLContext context = make_context (EGL_NO_CONTEXT);
  EGLSurface surface = make_surface ();
  const float still[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  GLint turn;

  make_current (surface, context);
  turn = prepare (TEXTURED);
  upload_part ();
  glUniformMatrix4fv (turn, 1, GL_FALSE, still);
  for (int frame = 0; frame < n_frames; frame++)
    {
      const float step = 0.1f * (float)frame;
      /* Places, each before something else; nobody reads the last. */
      float places[8][3] = {
        { -0.9f, -0.9f, 1 },
        { 0, -0.9f, 2 },
        { step, 0, 3 },
        { -0.9f, 0, 4 },
        { 0, 0.9f, 5 },
        { -step, 0.9f, 6 },
        { 0.5f, 0.5f, 7 },
        { 9, 9, 8 },
      };
      uint16_t indices[5] = { 4, 6, 2, 4, 5 };

      glBindBuffer (GL_ARRAY_BUFFER, 0);
      glVertexAttribPointer (0, 2, GL_FLOAT, GL_FALSE, sizeof places[0], places);
      glClear (GL_COLOR_BUFFER_BIT);
      glDrawArrays (GL_TRIANGLES, 1, 3);
      memset (places, 0, sizeof places[0] * 2);
      glDrawElements (GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, indices + 1);
      memset (places, 0, sizeof places);
      check (eglSwapBuffers (display, surface), "eglSwapBuffers");
    }
  check (glGetError () == GL_NO_ERROR, "glGetError");
}

int
main (int    argc,
      char **argv)
{
  static const struct
  {
    const char *name;
    void (*run) (void);
  } parts[] = { { "turning", run_turning },
                { "sharing", run_sharing },
                { "passed", run_passed },
                { "arrays", run_arrays } };

  n_frames = argc > 2 ? atoi (argv[2]) : 3;
  for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++)
    if (strcmp (argv[1], parts[i].name) == 0)
      {
        open_display ();
        parts[i].run ();
        make_current (EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglTerminate (display);
        return 0;
      }
  fprintf (stderr, "usage: gl-triangles turning|sharing|passed|arrays FRAMES\n");
  return 2;
}
