import type { SchemaFault } from '../../json/schema-fault.js'

/**
 * What a library said while it converted a schema. Libraries with Standard JSON Schema do not say where: their schemas
 * cannot be walked from outside.
 */
export class LibraryFindings {
  /** What JSON cannot carry, in words. */
  readonly notJson: Set<string> = new Set()
  /** What changes values, in words. */
  readonly changes: Set<string> = new Set()
  /** What has an outcome that no schema describes, in words. */
  readonly untyped: Set<string> = new Set()
  readonly flags: Set<string> = new Set()
  /** Whether there are checks that JSON Schema does not carry. */
  refined: boolean = false
}

/** How a library is asked to tell what its conversion loses. */
export interface LibraryHooks {
  /** What is passed as `libraryOptions`. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Something inside a schema that JSON cannot carry. */
export function holdsNoJson(what: string): SchemaFault {
  return {
    code: 'TG3004',
    severity: 'error',
    message: `The schema holds ${what}, which JSON cannot carry.`,
    next: 'Describe the value as JSON, and convert it in a mapper of the application.',
    trail: [],
  }
}

/** A payload schema that also changes what is sent. */
export function changesValues(what: string): SchemaFault {
  return {
    code: 'TG3005',
    severity: 'error',
    message: `The payload schema has ${what}; a payload schema only describes what is sent.`,
    next: 'Describe the value before the change, and make the change in a payload mapper (`toolsets.USE.mappers.TOOL.payload` of the application).',
    trail: [],
  }
}

/** A result schema whose outcome is not described. */
export function hasNoOutcome(what: string): SchemaFault {
  return {
    code: 'TG3005',
    severity: 'error',
    message: `The result schema has ${what}, whose outcome no schema describes.`,
    next: 'Describe the result after the change, and make the change in a result mapper (`toolsets.USE.mappers.TOOL.result` of the application).',
    trail: [],
  }
}

/** A pattern whose flags the conversion would lose. */
export function hasFlags(pattern: string): SchemaFault {
  return {
    code: 'TG3009',
    severity: 'error',
    message: `The pattern \`${pattern}\` has flags, which JSON Schema cannot carry.`,
    next: 'Write the pattern without flags, e.g. `[a-zA-Z]` in place of `[a-z]` with `i`.',
    trail: [],
  }
}

/** A schema that is converted otherwise each time, as by a default that is made anew. */
export function isUnstable(): SchemaFault {
  return {
    code: 'TG3008',
    severity: 'error',
    message: 'The schema becomes another JSON Schema each time it is converted: a default is made anew.',
    next: 'Give a constant default, or leave the field optional and fill it in the service.',
    trail: [],
  }
}
