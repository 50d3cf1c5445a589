/* Finds the memory whose device address the program asked for, and the captured address of each
 * such allocation. */
#include "engine/vulkan/replay-builder/vtr-address-plan.h"

#include "engine/format/vtr-trace-walk.h"
#include "engine/vulkan/state/vtr-newer-form.h"
#include "vtr-api-args.h"

/* Where a buffer is bound. */
typedef struct
{
  guint64 allocation; /* index of the command */
  guint64 offset;
} Place;

/* Where an acceleration structure is. */
typedef struct
{
  guint64 buffer, offset;
  guint64 creation; /* index of the command */
} Part;

struct _VtrAddressPlan
{
  GHashTable *addresses; /* index of the vkAllocateMemory → address; both owned */
  GHashTable *tenants;   /* indices of what created buffers and images that lie there; a set */
  GHashTable *told;      /* index of what created a structure → the address the program was told */
  gboolean asked;        /* for an address */
};

typedef struct
{
  GHashTable *allocations;  /* VkDeviceMemory → index */
  GHashTable *creations[2]; /* VkBuffer; VkImage → index */
  GHashTable *places;       /* VkBuffer → Place */
  GHashTable *structures;   /* VkAccelerationStructureKHR → Part */
  GHashTable *bound;        /* index of a creation → index of the allocation */
  GHashTable *addresses;    /* of the plan: what buffers say */
  GHashTable *guesses;      /* of the plan: what structures say */
  GHashTable *told;         /* of the plan */
} Pass;

static void
put (GHashTable    *table,
     guint64        key,
     gconstpointer  value,
     gsize          size)
{
  g_hash_table_insert (table, g_memdup2 (&key, sizeof key), g_memdup2 (value, size));
}

static void
note_allocation (Pass             *self,
                 const VtrCommand *command)
{
  const VtrArgs_vkAllocateMemory *args = command->args;

  if ((gint32)command->result >= 0 && args->pMemory != NULL)
    put (self->allocations, (guint64)(gsize)*args->pMemory, &command->index,
         sizeof command->index);
}

static void
note_creation (Pass             *self,
               const VtrCommand *command,
               gboolean          image,
               guint64           handle)
{
  if ((gint32)command->result >= 0 && handle != 0)
    put (self->creations[image], handle, &command->index, sizeof command->index);
}

/* Returns: the index of the allocation; NULL: it is not in the trace. */
static const guint64 *
note_bound (Pass           *self,
            gboolean        image,
            guint64         handle,
            VkDeviceMemory  memory)
{
  const guint64 key = (guint64)(gsize)memory;
  const guint64 *allocation = g_hash_table_lookup (self->allocations, &key);
  const guint64 *creation = g_hash_table_lookup (self->creations[image], &handle);

  if (allocation != NULL && creation != NULL)
    put (self->bound, *creation, allocation, sizeof *allocation);
  return allocation;
}

static void
note_bind (Pass           *self,
           VkBuffer        buffer,
           VkDeviceMemory  memory,
           VkDeviceSize    offset)
{
  const guint64 *allocation = note_bound (self, FALSE, (guint64)(gsize)buffer, memory);

  if (allocation != NULL)
    put (self->places, (guint64)(gsize)buffer, &(Place){ *allocation, offset }, sizeof (Place));
}

static void
note_binds (Pass                              *self,
            const VtrArgs_vkBindBufferMemory2 *args)
{
  for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
    note_bind (self, args->pBindInfos[i].buffer, args->pBindInfos[i].memory,
               args->pBindInfos[i].memoryOffset);
}

static void
note_image_binds (Pass                             *self,
                  const VtrArgs_vkBindImageMemory2 *args)
{
  for (guint32 i = 0; args->pBindInfos != NULL && i < args->bindInfoCount; i++)
    note_bound (self, TRUE, (guint64)(gsize)args->pBindInfos[i].image, args->pBindInfos[i].memory);
}

/* Byte @offset of @buffer has this address. */
static void
note_byte (Pass       *self,
           GHashTable *addresses,
           guint64     buffer,
           guint64     offset,
           guint64     address)
{
  const Place *place = g_hash_table_lookup (self->places, &buffer);

  if (place == NULL || address < offset || address - offset < place->offset)
    return;
  address -= offset + place->offset;
  put (addresses, place->allocation, &address, sizeof address);
}

static void
note_address (Pass             *self,
              const VtrCommand *command)
{
  const VtrArgs_vkGetBufferDeviceAddress *args = command->args;

  if (args->pInfo != NULL)
    note_byte (self, self->addresses, (guint64)(gsize)args->pInfo->buffer, 0, command->result);
}

static void
note_structure (Pass             *self,
                const VtrCommand *command)
{
  const VtrArgs_vkCreateAccelerationStructureKHR *args = command->args;

  if ((gint32)command->result >= 0 && args->pCreateInfo != NULL &&
      args->pAccelerationStructure != NULL)
    put (self->structures, (guint64)(gsize)*args->pAccelerationStructure,
         &(Part){ (guint64)(gsize)args->pCreateInfo->buffer, args->pCreateInfo->offset,
                  command->index },
         sizeof (Part));
}

/* Where the bytes of a structure are its address, as on software drivers; elsewhere nothing is kept
 * by lying there, and what is checked afterwards says so. */
static void
note_structure_address (Pass             *self,
                        const VtrCommand *command)
{
  const VtrArgs_vkGetAccelerationStructureDeviceAddressKHR *args = command->args;
  const guint64 key =
    args->pInfo != NULL ? (guint64)(gsize)args->pInfo->accelerationStructure : 0;
  const Part *part = g_hash_table_lookup (self->structures, &key);

  if (part == NULL)
    return;
  note_byte (self, self->guesses, part->buffer, part->offset, command->result);
  put (self->told, part->creation, &command->result, sizeof command->result);
}

/* Where no buffer says it. */
static void
take_guesses (Pass *self)
{
  GHashTableIter iter;
  gpointer allocation, address;

  g_hash_table_iter_init (&iter, self->guesses);
  while (g_hash_table_iter_next (&iter, &allocation, &address))
    if (!g_hash_table_contains (self->addresses, allocation))
      put (self->addresses, *(const guint64 *)allocation, address, sizeof (guint64));
}

static void
note (const VtrCommand *command,
      gpointer          data)
{
  g_auto (VtrNewerForm) form;
  Pass *self = data;

  vtr_newer_form_init (&form, command);
  switch (form.command.id)
    {
    case VTR_CMD_vkAllocateMemory:
      note_allocation (self, command);
      break;
    case VTR_CMD_vkBindBufferMemory2:
      note_binds (self, form.command.args);
      break;
    case VTR_CMD_vkBindImageMemory2:
      note_image_binds (self, form.command.args);
      break;
    case VTR_CMD_vkCreateBuffer:
      {
        const VtrArgs_vkCreateBuffer *args = command->args;

        note_creation (self, command, FALSE,
                       args->pBuffer != NULL ? (guint64)(gsize)*args->pBuffer : 0);
        break;
      }
    case VTR_CMD_vkCreateImage:
      {
        const VtrArgs_vkCreateImage *args = command->args;

        note_creation (self, command, TRUE,
                       args->pImage != NULL ? (guint64)(gsize)*args->pImage : 0);
        break;
      }
    case VTR_CMD_vkGetBufferDeviceAddress:
      note_address (self, command);
      break;
    case VTR_CMD_vkCreateAccelerationStructureKHR:
      note_structure (self, command);
      break;
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      note_structure_address (self, command);
      break;
    default:
      break;
    }
}

static gboolean
matters (guint64  index,
         VtrCmdId id,
         gpointer data)
{
  switch (vtr_cmd_newer_form (id))
    {
    case VTR_CMD_vkAllocateMemory:
    case VTR_CMD_vkCreateBuffer:
    case VTR_CMD_vkCreateImage:
    case VTR_CMD_vkBindBufferMemory2:
    case VTR_CMD_vkBindImageMemory2:
    case VTR_CMD_vkGetBufferDeviceAddress:
    case VTR_CMD_vkCreateAccelerationStructureKHR:
    case VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Whatever is bound to memory whose address is known. */
static void
find_tenants (const Pass     *pass,
              VtrAddressPlan *self)
{
  GHashTableIter iter;
  gpointer creation, allocation;

  g_hash_table_iter_init (&iter, pass->bound);
  while (g_hash_table_iter_next (&iter, &creation, &allocation))
    if (g_hash_table_contains (self->addresses, allocation))
      g_hash_table_add (self->tenants, g_memdup2 (creation, sizeof (guint64)));
}

VtrAddressPlan *
vtr_address_plan_new (VtrTrace      *trace,
                      GCancellable  *cancellable,
                      GError       **error)
{
  g_autoptr (VtrAddressPlan) self = g_new0 (VtrAddressPlan, 1);
  Pass pass = { 0 };
  gboolean ok;

  self->addresses = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->tenants = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->told = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  self->asked = vtr_trace_has_command (trace, VTR_CMD_vkGetBufferDeviceAddress) ||
                vtr_trace_has_command (trace, VTR_CMD_vkGetAccelerationStructureDeviceAddressKHR);
  if (!self->asked)
    return g_steal_pointer (&self);
  pass.allocations = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (guint i = 0; i < G_N_ELEMENTS (pass.creations); i++)
    pass.creations[i] = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pass.places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pass.structures = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pass.bound = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  pass.addresses = self->addresses;
  pass.told = self->told;
  pass.guesses = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  ok = vtr_trace_walk (trace, matters, note, &pass, cancellable, error);
  take_guesses (&pass);
  find_tenants (&pass, self);
  g_hash_table_unref (pass.guesses);
  g_hash_table_unref (pass.bound);
  for (guint i = 0; i < G_N_ELEMENTS (pass.creations); i++)
    g_hash_table_unref (pass.creations[i]);
  g_hash_table_unref (pass.allocations);
  g_hash_table_unref (pass.places);
  g_hash_table_unref (pass.structures);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
vtr_address_plan_free (VtrAddressPlan *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->addresses);
  g_hash_table_unref (self->tenants);
  g_hash_table_unref (self->told);
  g_free (self);
}

gboolean
vtr_address_plan_is_empty (const VtrAddressPlan *self)
{
  return !self->asked;
}

gboolean
vtr_address_plan_has_tenant (const VtrAddressPlan *self,
                             guint64               index)
{
  return g_hash_table_contains (self->tenants, &index);
}

guint64
vtr_address_plan_find (const VtrAddressPlan *self,
                       guint64               index)
{
  const guint64 *address = g_hash_table_lookup (self->addresses, &index);

  return address != NULL ? *address : 0;
}

guint64
vtr_address_plan_find_structure (const VtrAddressPlan *self,
                                 guint64               index)
{
  const guint64 *address = g_hash_table_lookup (self->told, &index);

  return address != NULL ? *address : 0;
}
