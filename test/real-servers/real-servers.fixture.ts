import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { JsonObject } from '../../packages/runtime/src/index.js'
import { type SdkCaller, stdioCaller } from '../../packages/runtime/src/mcp.js'

const require = createRequire(import.meta.url)

/** A call with the tool name of the server. */
type RawCall = readonly [tool: string, args: JsonObject]

type GoodCall = readonly [...RawCall, data: unknown]

/** A server from npm that needs neither a network nor keys, with calls and their expected outcomes. */
export interface RealServer {
  readonly name: string
  /** File name of the capture in the data folder, if it exists. */
  readonly capture?: string
  /** Tools that are only in the capture: the server shows them only to some clients. */
  readonly hidden?: readonly string[]
  /** Number of tools, and number of tools with a result schema. */
  readonly tools: readonly [listed: number, described: number]
  /** Sequential calls, with the expected result or a part of it. */
  readonly good: readonly [GoodCall, ...GoodCall[]]
  /** Arguments that violate the schema of the tool, and the error of the server. */
  readonly bad: readonly [...RawCall, text: string]
  /** A misspelled tool name, and the intended one. */
  readonly misspelt: readonly [asked: string, meant: string]
  /** Valid arguments that the server rejects, with its error. Omitted if the server rejects none. */
  readonly refused?: readonly [...RawCall, text: string]
  start(folder: string): SdkCaller
}

const node = (script: string, ...args: readonly string[]): { command: string; args: readonly string[] } => ({
  command: process.execPath,
  args: [script, ...args],
})

const ann = { name: 'Ann', entityType: 'person', observations: ['likes tea'] }

const thought = (number: number): GoodCall => [
  'sequentialthinking',
  { thought: 'Why?', nextThoughtNeeded: true, thoughtNumber: number, totalThoughts: 2 },
  { thoughtNumber: number, totalThoughts: 2, nextThoughtNeeded: true, branches: [] },
]

export const REAL_SERVERS: readonly RealServer[] = [
  {
    name: 'server-filesystem',
    capture: 'modelcontextprotocol__server-filesystem.json',
    tools: [14, 14],
    good: [
      ['write_file', { path: 'a.txt', content: 'one\ntwo' }, { content: 'Successfully wrote to a.txt' }],
      ['read_text_file', { path: 'a.txt', tail: 1 }, { content: 'two' }],
      ['list_directory', { path: '.' }, { content: '[FILE] a.txt' }],
    ],
    bad: ['read_text_file', { path: 5 }, 'expected string, received number at path'],
    misspelt: ['read_txt_file', 'read_text_file'],
    refused: ['read_text_file', { path: '../a.txt' }, 'path outside allowed directories'],
    start: (folder) =>
      stdioCaller({
        ...node(require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'), '.'),
        cwd: folder,
      }),
  },
  {
    name: 'server-everything',
    capture: 'modelcontextprotocol__server-everything.json',
    hidden: ['get-roots-list', 'trigger-elicitation-request', 'trigger-sampling-request'],
    tools: [13, 1],
    good: [
      ['echo', { message: 'hi' }, 'Echo: hi'],
      [
        'get-structured-content',
        { location: 'Chicago' },
        { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 },
      ],
      [
        'get-resource-links',
        { count: 1 },
        { content: [{ type: 'text' }, { type: 'resource_link', uri: 'demo://resource/dynamic/blob/1' }] },
      ],
    ],
    bad: ['get-sum', { a: '1', b: 2 }, 'expected number, received string at a'],
    misspelt: ['get-summ', 'get-sum'],
    refused: ['gzip-file-as-resource', { data: 'ftp://host/file' }, 'Unsupported URL protocol'],
    start: () => stdioCaller(node(require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio')),
  },
  {
    name: 'server-memory',
    capture: 'modelcontextprotocol__server-memory.json',
    tools: [9, 9],
    good: [
      ['create_entities', { entities: [ann] }, { entities: [ann] }],
      ['search_nodes', { query: 'tea' }, { entities: [ann], relations: [] }],
    ],
    bad: ['delete_entities', { entityNames: 'Ann' }, 'expected array, received string at entityNames'],
    misspelt: ['read_grap', 'read_graph'],
    refused: [
      'add_observations',
      { observations: [{ entityName: 'Bob', contents: ['x'] }] },
      'Entity with name Bob not found',
    ],
    start: (folder) =>
      stdioCaller({
        ...node(require.resolve('@modelcontextprotocol/server-memory/dist/index.js')),
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      }),
  },
  {
    name: 'server-sequential-thinking',
    capture: 'modelcontextprotocol__server-sequential-thinking.json',
    tools: [1, 1],
    good: [thought(1), thought(2)],
    bad: [
      'sequentialthinking',
      { thought: 'Why?', nextThoughtNeeded: true, thoughtNumber: 0, totalThoughts: 2 },
      'expected number to be >=1 at thoughtNumber',
    ],
    misspelt: ['sequential_thinking', 'sequentialthinking'],
    start: () =>
      stdioCaller({
        ...node(require.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')),
        env: { DISABLE_THOUGHT_LOGGING: 'true' },
      }),
  },
  {
    name: 'time-mcp',
    tools: [6, 0],
    good: [
      ['days_in_month', { date: '2024-02-01' }, 'The number of days in month is 29.'],
      [
        'get_timestamp',
        { time: '2026-01-02 03:04:05.006' },
        'The timestamp of 2026-01-02 03:04:05.006 (parsed as UTC) is 1767323045006 ms.',
      ],
    ],
    bad: ['current_time', { format: 'x' }, 'Invalid option: expected one of "h:mm A"'],
    misspelt: ['days_in_months', 'days_in_month'],
    refused: [
      'convert_time',
      { sourceTimezone: 'Mars/Base', targetTimezone: 'Europe/London', time: '2026-01-02 12:00:00' },
      'Invalid time zone specified: Mars/Base',
    ],
    start: () => stdioCaller(node(require.resolve('time-mcp'))),
  },
]
