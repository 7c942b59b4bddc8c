import { fileURLToPath } from 'node:url'
import { loadVendorForms } from '../../packages/codegen/src/vendor-forms/load-vendor-forms.js'
import { vendors, type WriteForm } from '../../packages/codegen/src/vendor-forms/vendor-form.js'

const loaded = await loadVendorForms(vendors, fileURLToPath(new URL('..', import.meta.url)))
const { openai, anthropic, gemini } = loaded.value ?? {}
if (openai === undefined || anthropic === undefined || gemini === undefined) {
  throw new Error(loaded.diagnostics[0]?.message)
}

/** The forms of all vendors, as the runtime of this repository makes them. */
export const forms: Readonly<Record<'openai' | 'anthropic' | 'gemini', WriteForm>> = { openai, anthropic, gemini }
