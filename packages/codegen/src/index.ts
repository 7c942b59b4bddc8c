/**
 * The generator as a library, for configurations and build scripts; the `toolgen` command does the same.
 *
 * @module
 */
export { type CheckOptions, type CheckResult, check } from './check.js'
export { defineConfig, type ToolgenConfig } from './config/toolgen-config.js'
export type { Diagnostic, Severity, SourcePlace } from './diagnostics/diagnostic.js'
export { type DocsOptions, type DocsResult, docs } from './docs.js'
export { type GenerateOptions, generate } from './generate.js'
export { type InspectOptions, type InspectResult, inspect } from './inspect.js'
export type { DesignIr } from './ir/types.js'
export type { LiveChoice, LiveToolset } from './live/check-live.js'
export type { ProjectChoice } from './run/compile-project.js'
export type { DesignCounts } from './run/count-design.js'
export type { GenerateResult } from './run/generate-result.js'
export type { Drift } from './write/drift.js'
