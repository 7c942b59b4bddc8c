export type { ToolSpec } from './contract/spec.js'
