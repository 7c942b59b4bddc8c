import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import type { FieldNames } from './field-names.js'
import type { PartKeys } from './read-document.js'
import type { DocumentPart } from './references.js'
import type { Direction } from './schema-pool.js'

/** What the parts of one operation are read with. */
export interface OperationScene {
  readonly root: SchemaObject
  readonly names: FieldNames
  /** A schema as the toolset has it. Default: of what is sent. */
  schema(part: DocumentPart, direction?: Direction): Schema
  find(finding: Diagnostic, keys: PartKeys): void
}

/** A field of a tool's payload. */
export interface ToolField {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema
}
