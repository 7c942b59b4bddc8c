/**
 * The generator as a library, for configurations and build scripts; the `toolgen` command does the same.
 *
 * @module
 */

export { type CheckOptions, type CheckResult, check } from './check.js'
export type { ContractChange } from './contracts/change.js'
export type { Diagnostic, Severity, SourceLocation } from './diagnostics/diagnostic.js'
export { type DiffOptions, type DiffResult, diff } from './diff.js'
export { type DocsOptions, type DocsResult, docs } from './docs.js'
export { type GenerateOptions, generate } from './generate.js'
export type { LiveSelection, LiveToolset } from './imports/check-live.js'
export { type InspectOptions, type InspectResult, inspect } from './inspect.js'
export type { DesignCounts, DesignIr } from './ir/types.js'
export type { ProjectedTool, SuppressedDiagnostic } from './lint/lint-design.js'
export { type LintOptions, type LintResult, lint } from './lint.js'
export type { Encoding, LintConfig, RuleLevel, TokensConfig, Vendor } from './load/config-checks.js'
export { defineConfig, type ToolgenConfig } from './load/toolgen-config.js'
export type { Drift } from './output/drift.js'
export type { GenerateResult } from './plan-output.js'
export type { OnStage, ProjectChoice, Stage } from './project.js'
export type { TokenBudget } from './tokens/budget.js'
export type { OfferSize, Saving, ToolSize } from './tokens/measure.js'
export type { FormChange } from './tokens/vendor-forms.js'
export { type TokensOptions, type TokensResult, tokens } from './tokens.js'
