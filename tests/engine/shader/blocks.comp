#version 460
/* Blocks of every layout, for test-spirv-block.c. */
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 1) in;
layout(constant_id = 3) const int COUNT = 2;

layout(buffer_reference, std430) buffer Node
{
  uint value;
};

struct Light
{
  vec3 color;
  float range;
  mat2 turn;
};

layout(std140, set = 0, binding = 0) uniform Camera
{
  mat4 view;
  layout(row_major) mat4x3 world;
  float weights[3];
  Light lights[2];
  bool enabled;
  vec2 grid[2][3];
} camera;

layout(std430, set = 0, binding = 1) buffer Particles
{
  uint count;
  dvec2 origin;
  mat3 turn;
  vec4 positions[];
} particles;

layout(scalar, set = 1, binding = 0) readonly buffer Packed
{
  vec3 a;
  float b;
  uint8_t bytes[4];
  f16vec2 halves;
  int16_t shorts[2];
  int64_t wide;
  Node node;
  int sized[COUNT * 3];
} packed_block[2];

/* Two ways to see the same bytes. */
layout(std430, set = 2, binding = 3) buffer Words
{
  uint words[];
} words;

layout(std430, set = 2, binding = 3) buffer Vectors
{
  vec4 vectors[];
} vectors;

layout(push_constant) uniform Push
{
  layout(offset = 16) vec4 tint;
  uint mode;
} push;

void main ()
{
  particles.positions[push.mode] = camera.view * push.tint * camera.weights[1] +
                                   vec4 (camera.lights[1].color * camera.world[0], packed_block[1].b);
  particles.count = uint (packed_block[0].sized[1]) + packed_block[0].node.value +
                    uint (camera.enabled) + uint (camera.grid[1][2].x) + words.words[1];
  vectors.vectors[0] = push.tint;
}
