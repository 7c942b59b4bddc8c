import { describe, expect, it } from 'vitest'
import { refusedName } from './imported-files.js'

describe('the name of an imported toolset', () => {
  it.each(['files', 'myFiles', 'my-files', 'my_files', 'X2'])('may be %s', (name) => {
    expect(refusedName('mcp', name)).toBeUndefined()
  })

  it.each([
    ['my files', 'toolgen import mcp myFiles'],
    ['my/own.files', 'toolgen import mcp myOwnFiles'],
    ['9x', 'toolgen import mcp files'],
    ['é', 'toolgen import mcp files'],
    ['', 'toolgen import mcp files'],
    ['_', 'toolgen import mcp files'],
  ])('is not %j, and one that is legal is told', (name, command) => {
    expect(refusedName('mcp', name)).toMatchObject({
      code: 'TG0001',
      severity: 'error',
      message: expect.stringContaining(`\`${name}\` is not a valid name`),
      next: expect.stringContaining(`\`${command}\``),
    })
  })
})
