import type { ProjectChoice } from '../run/compile-project.js'
import type { CommandContext } from './command-context.js'
import type { CommonOptions } from './common-options.js'

/** The project that the options name. */
export function projectChoice({ config }: CommonOptions, { cwd, onEvaluate }: CommandContext): ProjectChoice {
  return { cwd, ...(config !== undefined && { config }), ...(onEvaluate !== undefined && { onEvaluate }) }
}
