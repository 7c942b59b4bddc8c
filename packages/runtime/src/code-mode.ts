/**
 * Code mode: `@toolgen/runtime/code-mode`. A model writes a TypeScript program that calls tools. The runtime checks the
 * types of the program and runs the program in a sandbox.
 *
 * @module
 */

export {
  type CheckedProgram,
  type ProgramChecker,
  type ProgramIssue,
  type TypescriptCheckerOptions,
  typescriptChecker,
} from './code-mode/checker.js'
export { type CodeModeOptions, codeMode } from './code-mode/code-mode.js'
export {
  type ApiDeclarations,
  type ApiFunction,
  apiDeclarations,
  type DeclarationOptions,
  type DeclaredTool,
} from './code-mode/declarations.js'
export type { SandboxLimits } from './code-mode/limits.js'
export { missingCodeModePackages } from './code-mode/required-packages.js'
export {
  type ExecuteCall,
  isolatedVmSandbox,
  quickJsSandbox,
  type Sandbox,
  type SandboxFailure,
  type SandboxJournal,
  type SandboxOptions,
  type SandboxOutcome,
  type SandboxProgram,
  type SandboxReply,
} from './code-mode/sandbox.js'
export { type UseCodeModeOptions, useCodeMode } from './code-mode/use-code-mode.js'
export type { ToolSearchOptions } from './tool-search/search-tool.js'
