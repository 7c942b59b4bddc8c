/**
 * The generator as a library, for configurations and build scripts; the `toolgen` command does the same.
 *
 * @module
 */

export type { ContractChange } from './breaking/changes/change.js'
export { type CheckOptions, type CheckResult, check } from './check.js'
export type { LintConfig, RuleLevel } from './config/lint-config.js'
export type { Encoding, TokensConfig } from './config/tokens-config.js'
export { defineConfig, type ToolgenConfig } from './config/toolgen-config.js'
export type { Diagnostic, Severity, SourcePlace } from './diagnostics/diagnostic.js'
export { type DiffOptions, type DiffResult, diff } from './diff.js'
export { type DocsOptions, type DocsResult, docs } from './docs.js'
export { type GenerateOptions, generate } from './generate.js'
export { type InspectOptions, type InspectResult, inspect } from './inspect.js'
export type { DesignIr } from './ir/types.js'
export type { ProjectedTool, SilencedFinding } from './lint/lint-design.js'
export { type LintOptions, type LintResult, lint } from './lint.js'
export type { LiveChoice, LiveToolset } from './live/check-live.js'
export type { ProjectChoice } from './run/compile-project.js'
export type { DesignCounts } from './run/count-design.js'
export type { GenerateResult } from './run/generate-result.js'
export type { OnStage, Stage } from './run/stage.js'
export type { TokenBudget } from './tokens/budget.js'
export type { OfferSize, ToolSize } from './tokens/measure-design.js'
export type { Saving } from './tokens/savings.js'
export { type TokensOptions, type TokensResult, tokens } from './tokens.js'
export type { FormChange, Vendor } from './vendor-forms/vendor-form.js'
export type { Drift } from './write/drift.js'
