import type { ts as Compiler } from 'ts-morph'
import { KeptModules } from '../evaluate/kept-modules.js'

/** What earlier runs of this process evaluated and parsed. */
export interface DesignMemory {
  readonly modules: KeptModules
  /** Syntax trees by absolute path; those of changed files are forgotten. */
  readonly parsed: Map<string, Compiler.SourceFile>
  /** Whether a module only declares what it exports. */
  readonly declarative: WeakMap<Compiler.SourceFile, boolean>
}

/** A memory of nothing. */
export function createDesignMemory(): DesignMemory {
  return { modules: new KeptModules(), parsed: new Map(), declarative: new WeakMap() }
}
