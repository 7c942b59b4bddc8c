/**
 * Scripted models, recordings of calls (cassettes), and an in-memory engine for durable runs:
 * `@toolgen/runtime/testing`.
 *
 * @module
 */
export { type CassetteMode, type CassetteOptions, openCassette } from './testing/cassette.js'
export { CassetteError } from './testing/cassette-error.js'
export { type MemoryCassette, type MemoryCassetteOptions, memoryCassette } from './testing/memory-cassette.js'
export { type CrashPoint, type MemoryEngineOptions, memoryEngine } from './testing/memory-engine.js'
export type { Redact } from './testing/redaction.js'
export {
  answers,
  calls,
  refuses,
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedResponse,
  type ScriptStep,
  says,
  scriptedModel,
} from './testing/scripted-model.js'
export type { Cassette, CassetteLayerOptions } from './testing/tape.js'
