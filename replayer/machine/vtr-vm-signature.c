/* Fills the machine's tables from the signatures of each API's functions. */
#include "vtr-vm-signature.h"

void
vtr_vm_signature_fill (VtrVmFunction        *functions,
                       const VtrVmSignature *signatures,
                       size_t                n,
                       const VtrVmCall      *calls,
                       VtrVmCall             same)
{
  for (size_t i = 0; i < n; i++)
    functions[i] = (VtrVmFunction){
      .call = calls != NULL ? calls[i] : same,
      .pointers = signatures[i].pointers,
      .n_args = signatures[i].n_args,
      .result = signatures[i].result,
      .judged = signatures[i].judged,
      .known = 1,
    };
}

size_t
vtr_vm_signature_count (void)
{
  size_t n = 0;

  for (unsigned api = 0; api < VTR_VM_N_APIS; api++)
    n += vtr_vm_signatures[api]->n_calls + vtr_vm_signatures[api]->n_own;
  return n;
}

void
vtr_vm_signature_fill_all (VtrVm         *vm,
                           VtrVmFunction *functions,
                           VtrVmCall      same,
                           void          *context)
{
  for (unsigned api = 0; api < VTR_VM_N_APIS; api++)
    {
      const VtrVmSignatures *all = vtr_vm_signatures[api];
      const VtrVmFunctions calls = { .functions = functions,
                                     .first = all->first_call,
                                     .n = all->n_calls,
                                     .context = context };
      const VtrVmFunctions own = { .functions = functions + all->n_calls,
                                   .first = all->first_own,
                                   .n = all->n_own,
                                   .context = context };

      vtr_vm_signature_fill (functions, all->calls, all->n_calls, NULL, same);
      vtr_vm_signature_fill (functions + all->n_calls, all->own, all->n_own, NULL, same);
      vtr_vm_set_functions (vm, api, &calls, &own);
      functions += all->n_calls + all->n_own;
    }
}

const char *
vtr_vm_signature_get_name (uint32_t api,
                           uint32_t function)
{
  return api < VTR_VM_N_APIS ? vtr_vm_signatures[api]->get_name (function) : NULL;
}
