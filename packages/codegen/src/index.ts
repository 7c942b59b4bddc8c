/**
 * The generator as a library, for configurations and build scripts. The commands `generate`, `check`, `diff`, `lint`, `tokens`, `inspect` and `docs`
 * are functions of this library. To get the type of a function's options, write for example `Parameters<typeof generate>[0]`.
 * @module
 */

export { type CheckResult, check } from './check.js'
export type { Diagnostic, Severity, SourceLocation } from './diagnostics/diagnostic.js'
export { type DiffResult, diff } from './diff.js'
export { type DocsResult, docs } from './docs.js'
export { generate } from './generate.js'
export { type InspectResult, inspect } from './inspect.js'
export { type LintResult, lint } from './lint.js'
export { defineConfig, type ToolgenConfig } from './load/toolgen-config.js'
export type { GenerateResult } from './plan-output.js'
export type { ProjectOptions } from './project.js'
export { type TokensResult, tokens } from './tokens.js'
