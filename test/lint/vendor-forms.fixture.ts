import { fileURLToPath } from 'node:url'
import { type Vendor, vendors } from '../../packages/codegen/src/load/toolgen-config.js'
import { loadVendorForms, type WriteForm } from '../../packages/codegen/src/tokens/vendor-forms.js'

const loaded = await loadVendorForms(vendors, fileURLToPath(new URL('..', import.meta.url)))
const { openai, anthropic, gemini, mcp } = loaded.value ?? {}
if (openai === undefined || anthropic === undefined || gemini === undefined || mcp === undefined) {
  throw new Error(loaded.diagnostics[0]?.message)
}

/** Functions of the runtime that create the tool definitions of each vendor. */
export const forms: Readonly<Record<Vendor, WriteForm>> = { openai, anthropic, gemini, mcp }
