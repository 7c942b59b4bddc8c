import { fileURLToPath } from 'node:url'
import { loadVendorForms } from '../../packages/codegen/src/vendor-forms/load-vendor-forms.js'
import { type Vendor, vendors, type WriteForm } from '../../packages/codegen/src/vendor-forms/vendor-form.js'

const loaded = await loadVendorForms(vendors, fileURLToPath(new URL('..', import.meta.url)))
const { openai, anthropic, gemini, mcp } = loaded.value ?? {}
if (openai === undefined || anthropic === undefined || gemini === undefined || mcp === undefined) {
  throw new Error(loaded.diagnostics[0]?.message)
}

/** The forms of all vendors, as the runtime of this repository makes them. */
export const forms: Readonly<Record<Vendor, WriteForm>> = { openai, anthropic, gemini, mcp }
