import { expect, it } from 'vitest'
import { changeLocations } from './change-locations.js'
import type { ToolChange } from './mcp-drift.js'

const inputSchema = {
  properties: { first: { $ref: '#/$defs/Node' } },
  $defs: { Node: { $ref: '#/$defs/Other' }, Other: { properties: { 'a/b': {} } }, Loop: { $ref: '#/$defs/Loop' } },
}
const source = { title: 'T', name: 't', description: 'D', inputSchema }
const about = 'Written by `toolgen import mcp files`.'
const snapshot = { about, tools: { zero: { source: { name: 'zero' } }, t: { source } } }

/** Returns the line of the snapshot at which a change is reported. */
function lineOf(change: Partial<ToolChange>): string | undefined {
  const text = JSON.stringify(snapshot, null, 2)
  const locationOf = changeLocations({ snapshot: 'files.mcp.json', text })
  const { file, line, column } = locationOf({ tool: 't', kind: 'described', message: '', ...change })
  expect(file).toBe('files.mcp.json')
  return text.split('\n')[line - 1]?.slice(column - 1)
}

it.each<[string, Partial<ToolChange>, string]>([
  ['the list, of a new tool', { tool: 'new', kind: 'added' }, '"tools": {'],
  ['the name, of a tool that is gone', { kind: 'removed' }, '"name": "t",'],
  ['the description', { path: '/description' }, '"description": "D",'],
  ['the name, where nothing was said', { path: '/annotations/readOnlyHint' }, '"name": "t",'],
  ['what a reference leads to', { side: 'arguments', path: '/properties/first/properties/a~1b' }, '"a/b": {}'],
  ['the innermost part there is', { side: 'arguments', path: '/properties/new' }, '"properties": {'],
  ['the name, without a schema of the result', { side: 'result', path: '/properties/x' }, '"name": "t",'],
  ['where a circle begins', { side: 'arguments', path: '/$defs/Loop/items' }, '"Loop": {'],
])('the place of a change is %s', (_, change, line) => {
  expect(lineOf(change)).toBe(line)
})
