import type { Agent, ServiceClient, Toolset } from '@toolgen/dsl'
import type { SourceLocation } from '../diagnostics/diagnostic.js'

/** Evaluated design modules and the sources of their definitions. */
export interface LoadedDesign {
  /** Every toolset that is exported, used or offered, once each. */
  readonly toolsets: readonly Toolset[]
  /** Every exported agent, once each. */
  readonly agents: readonly Agent[]
  /** Export path of each service client. */
  readonly clients: ReadonlyMap<ServiceClient<unknown>, ExportPath>
  /** The files outside `node_modules` that were evaluated, relative to the root with `/`, sorted by code point. */
  readonly closure: readonly string[]
  readonly locations: Locations
}

/** Module and name of an exported value. */
export interface ExportPath {
  /** Relative to the project's root, with `/` and the extension. */
  readonly module: string
  /** E.g. `['ordersClient']` or `['clients', 'orders']`. */
  readonly path: readonly string[]
}

/** Some characters of a text, counted as JavaScript does. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/** Finds definitions in the design's source. */
export interface Locations {
  /** Returns an object that stays the same as long as the source of the definition does. */
  sourceOf(definition: object): object | undefined
  /**
   * The place of a definition, or of what the path leads to inside it: `placeOf(toolset, 'tools', 'getOrder',
   * 'description')`. Where the source does not spell the path out, the nearest place around it.
   */
  locationOf(definition: object, ...path: readonly (string | number)[]): SourceLocation
  /**
   * The place of the value that the path leads to rather than of its name.
   *
   * @param part of a text: which of its characters, where the source writes the text as it is
   */
  valueLocationOf(definition: object, path: readonly (string | number)[], part?: TextPart): SourceLocation
}
