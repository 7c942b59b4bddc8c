import { expect } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'

/** Expected output of a command that fails. */
export interface Expected {
  readonly exit: number
  readonly code: string
  /** Location before the message, as `file:line`. */
  readonly location?: string
  /** Part of the message. */
  readonly message: string
  /** Part of the fix. */
  readonly next: string
  readonly command?: readonly string[]
  /** True if the test needs a real process. */
  readonly inProcess?: boolean
}

/** Creates the small project with other files. The value `undefined` omits a file. */
export function projectWith(files: Readonly<Record<string, string | undefined>>): Project {
  const made = createProject({ ...smallProject })
  made.write(files)
  return made
}

/** Runs a command that must fail with a diagnostic, without a stack trace and without changes on disk. */
export function fails(
  made: Project,
  { exit, code, location, message, next, command = ['generate'], inProcess }: Expected,
): void {
  const before = made.tree()
  const ran = inProcess === true ? made.process(...command) : made.toolgen(...command)
  const shown = ran.stderr
  expect(shown).toContain(code)
  expect(shown).toContain(message)
  expect(shown).toContain(next)
  if (location !== undefined) expect(shown).toContain(`${location}:`)
  expect(shown).not.toMatch(/^\s+at .*[:(]\d+/m)
  expect(shown).not.toContain('TG9')
  if (command.join() === 'generate')
    expect(shown).toMatch(/(^|\n)(\d+ errors?; nothing was written|error TG(?:000[45]|101[01])[\s\S]*)\n$/)
  expect(ran.code).toBe(exit)
  expect(ran.stdout).toBe('')
  expect(made.tree()).toEqual(before)
}

/** Returns a design module with a toolset of these tools. */
export const toolset = (tools: string): string => `import { defineTool, defineToolset } from '@toolgen/dsl'
export const orders = defineToolset('orders', { description: 'Orders.', tools: { ${tools} } })
`

/** Returns the source of a tool with this payload. */
export const tool = (payload: string): string =>
  `getOrder: defineTool({ description: 'Get.', payload: ${payload}, result: { type: 'object', properties: {} } })`

/** Schema of an object without properties. */
export const empty = `{ type: 'object', properties: {} }`
