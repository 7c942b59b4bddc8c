import type { Vendor, VendorForm } from '../../vendor-forms/vendor-form.js'
import type { Field } from './fields.js'
import type { Scene, ToolScene } from './scene.js'

/** One rule of `toolgen lint`. Its reason, and what to do about a finding, are in the catalogue of codes. */
export interface Rule {
  /** What designs, configurations and people call it: kebab-case. */
  readonly id: string
  readonly code: string
  /** What to do about a finding, in one sentence. */
  readonly next: string
  /** Modules of a design, written with `z`, of which the rule finds something in the first alone. */
  readonly examples: { readonly bad: string; readonly good: string }
  /** Whose form of the tools it looks at. */
  readonly vendor?: Vendor
  readonly check: (scene: Scene) => readonly Finding[]
}

/** What a rule found. */
export interface Finding {
  readonly about: Subject
  /** What is wrong, in one sentence. */
  readonly message: string
  /** Further facts, a line each. */
  readonly facts?: readonly string[]
  /** What is sent of the tool that it is about. */
  readonly form?: VendorForm
}

/** What a finding is about. */
export type Subject =
  | {
      readonly kind: 'tool'
      readonly toolset: string
      readonly tool: string
      /** Where in its definition, e.g. `['description']`. */
      readonly path?: readonly (string | number)[]
      /** The field of the payload, in place of a path. */
      readonly field?: Field
    }
  | { readonly kind: 'toolset'; readonly toolset: string; readonly path?: readonly (string | number)[] }
  | { readonly kind: 'agent'; readonly agent: string; readonly path?: readonly (string | number)[] }

/** A tool as the subject of a finding. */
export function aboutTool({ tool, toolset }: ToolScene, ...path: readonly string[]): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, ...(path.length > 0 && { path }) }
}

/** A field of what is sent to a tool as the subject of a finding. */
export function aboutField({ tool, toolset }: ToolScene, field: Field): Subject {
  return { kind: 'tool', toolset: toolset.name, tool: tool.name, field }
}

/** Names as a message lists them, the first few of them. */
export function listed(names: readonly string[], most: number = 6): string {
  const shown = names.slice(0, most).map((name) => `\`${name}\``)
  const left = names.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
