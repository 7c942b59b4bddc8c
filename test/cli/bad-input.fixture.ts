import { expect } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'

/** What a command that fails must say. */
export interface Expected {
  readonly exit: number
  readonly code: string
  /** `file:line`, as printed before the message. */
  readonly location?: string
  /** A part of the message. */
  readonly message: string
  /** A part of the next step. */
  readonly next: string
  readonly command?: readonly string[]
  /** Whether this is about the process, which it then gets. */
  readonly inProcess?: boolean
}

/** The small project with other files; a file of `undefined` is left out. */
export function projectWith(files: Readonly<Record<string, string | undefined>>): Project {
  const made = createProject({ ...smallProject })
  made.write(files)
  return made
}

/** Runs a command that must fail: with a diagnostic, no stack, and nothing changed on the disk. */
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

/** A design module with a toolset of these tools. */
export const toolset = (tools: string): string => `import { defineTool, defineToolset } from '@toolgen/dsl'
export const orders = defineToolset('orders', { description: 'Orders.', tools: { ${tools} } })
`

/** A tool with this payload. */
export const tool = (payload: string): string =>
  `getOrder: defineTool({ description: 'Get.', payload: ${payload}, result: { type: 'object', properties: {} } })`

/** The schema of an object without fields. */
export const empty = `{ type: 'object', properties: {} }`
