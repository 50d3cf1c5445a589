#version 450
layout (push_constant) uniform Push { vec4 place; vec4 color; };
layout (location = 0) in vec2 position;
layout (location = 1) in vec3 hue;
layout (location = 0) out vec3 shade;
layout (location = 1) flat out uint instance;

void
main ()
{
  vec2 offset = vec2 (0.12, 0.1) * float (gl_InstanceIndex);

  gl_Position = vec4 (place.xy + position * place.w + offset,
                      place.z - 0.05 * float (gl_InstanceIndex), 1.0);
  shade = hue * color.rgb;
  instance = gl_InstanceIndex;
}
