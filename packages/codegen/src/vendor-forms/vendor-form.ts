import type { ToolIr, ToolsetIr } from '../ir/types.js'
import type { SchemaObject } from '../schema/json/json-schema.js'

/** Vendor of models whose form of tools is known; `mcp` is the form in which an MCP server lists them. */
export type Vendor = 'openai' | 'anthropic' | 'gemini' | 'mcp'

/** The vendors whose forms are known, sorted. */
export const vendors: readonly Vendor[] = ['anthropic', 'gemini', 'mcp', 'openai']

/** A tool of a toolset, under the name by which a model knows it. */
export interface OfferedTool {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  readonly wireName: string
}

/** A tool as it is sent to a vendor. */
export interface VendorForm {
  /** As it stands in the request. */
  readonly tool: SchemaObject
  /** The schema of the arguments in it. */
  readonly schema: SchemaObject
  /** Where the form differs from what the tool declares. */
  readonly changes: readonly FormChange[]
  /** Of OpenAI: whether the model is held to the schema. */
  readonly strict?: boolean
}

/** A difference between what a tool declares and what is sent. */
export interface FormChange {
  /** JSON Pointer into the arguments. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: string
  readonly message: string
  readonly loosens: boolean
}

/** Writes a tool in the form of a vendor. */
export type WriteForm = (offered: OfferedTool) => VendorForm

/** By vendor; one that nobody asks for is missing. */
export type VendorForms = { readonly [Name in Vendor]?: WriteForm }
