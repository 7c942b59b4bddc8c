import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { type Installed, loadInstalled } from '../installed/load-installed.js'
import { isObject, own } from '../schema/json/json.js'
import type { SchemaObject } from '../schema/json/json-schema.js'
import { offeredSpec } from './offered-spec.js'
import type { FormChange, OfferedTool, Vendor, VendorForm, VendorForms } from './vendor-form.js'

/** The projection of the runtime that makes a vendor's form, and where the schema stands in it. */
const projections: Readonly<Record<Vendor, { readonly name: string; readonly schema: readonly string[] }>> = {
  openai: { name: 'openAiTool', schema: ['function', 'parameters'] },
  anthropic: { name: 'anthropicTool', schema: ['input_schema'] },
  gemini: { name: 'geminiTool', schema: ['parametersJsonSchema'] },
  mcp: { name: 'mcpTool', schema: ['inputSchema'] },
}

/**
 * Loads the projections of the runtime that the project has installed: what is shown is what that version sends.
 *
 * @param root where the project's packages are looked for: absolute
 */
export async function loadVendorForms(asked: readonly Vendor[], root: string): Promise<Checked<VendorForms>> {
  const forms: { [Name in Vendor]?: (offered: OfferedTool) => VendorForm } = {}
  for (const vendor of asked) {
    const { name } = projections[vendor]
    const loaded = await loadInstalled('@toolgen/runtime/projections', name, root)
    const { value: project } = loaded
    if (project === undefined) return { diagnostics: [notLoaded(loaded.diagnostics)] }
    forms[vendor] = (offered) => formOf(vendor, project, offered)
  }
  return { value: forms, diagnostics: [] }
}

function formOf(vendor: Vendor, project: Installed, offered: OfferedTool): VendorForm {
  const made: unknown = Reflect.apply(project, undefined, [offeredSpec(offered)])
  const tool = fieldsOf(isObject(made) ? own(made, 'tool') : undefined, vendor)
  const schema = projections[vendor].schema.reduce((at, key) => fieldsOf(own(at, key), vendor), tool)
  const changes = isObject(made) ? own(made, 'changes') : undefined
  const strict = isObject(made) ? own(made, 'strict') : undefined
  return {
    tool,
    schema,
    changes: Array.isArray(changes) ? changes.filter(isChange) : [],
    ...(typeof strict === 'boolean' && { strict }),
  }
}

function fieldsOf(value: unknown, vendor: Vendor): SchemaObject {
  if (isObject(value)) return value
  throw new TypeError(`the projection for ${vendor} of the installed @toolgen/runtime made no such tool`)
}

function isChange(value: unknown): value is FormChange {
  if (!isObject(value)) return false
  const texts = [value.pointer, value.keyword, value.kind, value.message]
  return texts.every((text) => typeof text === 'string') && typeof value.loosens === 'boolean'
}

function notLoaded([why]: readonly Diagnostic[]): Diagnostic {
  return {
    code: 'TG0037',
    severity: 'error',
    message: 'The forms of model vendors are not known: `@toolgen/runtime` cannot be loaded in the project.',
    next: 'Install it in the project: `npm install @toolgen/runtime`.',
    ...(why !== undefined && { related: [{ message: why.message }] }),
  }
}
