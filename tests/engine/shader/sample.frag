#version 450

struct Light
{
  vec4 colour;
  float range;
};

layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 1, binding = 3, std140) uniform Lights
{
  mat4 view;
  Light lights[4];
  ivec2 size;
} scene;
layout(push_constant) uniform Push { vec4 tint; } push;
layout(constant_id = 7) const int COUNT = 2;
layout(constant_id = 8) const bool FLIP = false;
layout(location = 0) in vec2 uv;
layout(location = 2) flat in uint layer;
layout(location = 0) out vec4 colour;

void main ()
{
  vec4 sum = texture (albedo, FLIP ? -uv : uv) * push.tint;

  for (int i = 0; i < COUNT; i++)
    sum += scene.view * scene.lights[i].colour * float (layer);
  colour = sum;
}
