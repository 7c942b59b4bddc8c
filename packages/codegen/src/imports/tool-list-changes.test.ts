import { expect, it } from 'vitest'
import { readCapture } from './mcp-capture.js'
import { toolListChanges } from './tool-list-changes.js'

const listed = (...tools: readonly object[]) => readCapture({ tools }, 'x').value?.tools ?? []

it('lists added, removed and changed tools since a snapshot', () => {
  const a = { name: 'a', description: 'A.', inputSchema: {} }
  const before = listed(a, { name: 'gone' }, { name: 'b', title: 'B' }, { name: 'same', inputSchema: {} })
  const now = listed({ inputSchema: {}, name: 'same' }, { name: 'b', title: 'C' }, a, { name: 'new' }, { name: 'a' })
  expect(toolListChanges(before, now)).toEqual([
    { tool: 'b', kind: 'changed' },
    { tool: 'new', kind: 'added' },
    { tool: 'gone', kind: 'removed' },
  ])
  expect(toolListChanges(now, now)).toEqual([])
})
