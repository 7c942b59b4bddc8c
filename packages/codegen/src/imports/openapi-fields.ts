import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Schema, SchemaObject } from '../schema/json-schema.js'
import { unusedName } from '../schema/references.js'
import type { ApiOperation } from './openapi-operations.js'
import type { DocumentPart, PartKeys } from './openapi-parts.js'
import type { Direction } from './openapi-schemas.js'

export interface OperationContext {
  readonly root: SchemaObject
  readonly api: ApiOperation
  readonly names: FieldNames
  schema(part: DocumentPart, direction?: Direction): Schema
  report(diagnostic: Diagnostic, keys: PartKeys): void
}

export interface ToolField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema
}

/** Matches field names that every model vendor accepts. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/

export class FieldNames {
  readonly #taken = new Set<string>()

  claim(wanted: string, location: string): { readonly field: string; readonly why?: string } {
    const isLegal = legalName.test(wanted) && wanted !== '__proto__'
    const legal = isLegal
      ? wanted
      : wanted
          .replace(/[^a-zA-Z0-9_.-]+/g, '_')
          .replace(/^_+|_+$/g, '')
          .slice(0, 60) || 'field'
    const base = this.#taken.has(legal) ? `${location}_${legal}`.slice(0, 60) : legal
    const field = unusedName(base, (candidate) => !this.#taken.has(candidate))
    this.#taken.add(field)
    if (field === wanted) return { field }
    return { field, why: isLegal ? 'another field has this name' : 'the name is not valid for models' }
  }
}
