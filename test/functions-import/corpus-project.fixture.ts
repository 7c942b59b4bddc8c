import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { elementAt } from '../../packages/codegen/src/defined.js'
import { assignNames } from '../../packages/codegen/src/ir/names.js'
import { importedToolNames } from '../../packages/codegen/src/ir/tool-names.js'
import { runInThread } from '../cli/command-thread.js'
import { plainEnvironment } from '../cli/project.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Recorded call of the function at an index of its corpus. */
export interface RecordedCall {
  readonly index: number
  readonly arguments: unknown
}

/** Result of a program. */
export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A project with the imported functions of a corpus, as the toolset `corpus`. */
export interface CorpusProject {
  toolgen(...args: readonly string[]): Ended
  /** Type-checks the generated code with TypeScript 7 and its strictest flags. */
  typeCheck(): Ended
  /** Decodes each call with the generated codec of its function. Returns true for accepted calls. */
  verdicts(names: readonly string[], calls: readonly RecordedCall[]): readonly boolean[]
  read(path: string): string
  remove(): void
}

const settings: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'toolgen.config.ts': `import { defineConfig } from '@toolgen/codegen'
export default defineConfig({ design: 'design/*.ts', codecs: 'js' })`,
  'tsconfig.json': JSON.stringify({
    extends: '../generated-code/strictest.json',
    compilerOptions: { skipLibCheck: true },
    include: ['gen'],
  }),
  'decode.mjs': `import { readFileSync } from 'node:fs'
import * as codecs from './gen/toolsets/corpus/codecs.js'
const calls = JSON.parse(readFileSync('calls.json', 'utf8'))
process.stdout.write(JSON.stringify(calls.map(([codec, given]) => codecs[codec].decode(JSON.stringify(given)).ok)))`,
}

/** @param source text of `functions.json` */
export function corpusProject(source: string): CorpusProject {
  // The folder is inside the workspace, so that imports of the packages resolve as in the project of a user.
  const folder = mkdtempSync(join(root, 'test/.out-functions-import-'))
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  const node = (script: string, ...args: readonly string[]): Ended => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    return { status, stdout, stderr }
  }
  for (const [path, text] of Object.entries({ ...settings, 'functions.json': source })) write(path, text)
  return {
    toolgen(...args) {
      const { code, stdout, stderr } = runInThread(args, { cwd: folder, env: plainEnvironment() })
      return { status: code, stdout, stderr }
    },
    typeCheck: () => node(join(root, 'node_modules/typescript-7/bin/tsc'), '-p', '.'),
    verdicts(names, calls) {
      const codecs = codecNames(names)
      write('calls.json', JSON.stringify(calls.map((call) => [elementAt(codecs, call.index), call.arguments])))
      const { status, stdout, stderr } = node('decode.mjs')
      if (status !== 0) throw new Error(stderr)
      return JSON.parse(stdout)
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the names of the payload codecs of functions, in the same order. */
function codecNames(names: readonly string[]): readonly string[] {
  const tools = importedToolNames(names).map(({ tool }) => ({ name: tool }))
  const [toolset] = assignNames({ toolsets: [{ name: 'corpus', tools, defs: {} }], agents: [] }).toolsets
  return toolset?.tools.map(({ payloadCodec }) => payloadCodec) ?? []
}
