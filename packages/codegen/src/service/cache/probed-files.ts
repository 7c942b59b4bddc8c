import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import type { FileSystemHost } from 'ts-morph'
import type { ProbeAnswer, ProbeKind, Probes } from './cache.js'

/** Answers probes from the disk; a folder or file that cannot be read counts as absent. */
export const probeDisk: ProbeAnswer = (kind, path) => {
  switch (kind) {
    case 'read':
      return orAbsent(() => createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22))
    case 'file':
      return orAbsent(() => (statSync(path).isFile() ? 'yes' : 'no'))
    case 'directory':
      return orAbsent(() => (statSync(path).isDirectory() ? 'yes' : 'no'))
    case 'list':
      return orAbsent(() => cut(readdirSync(path).sort().join('\n')))
    case 'real':
      return orAbsent(() => realpathSync(path))
  }
}

function cut(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function orAbsent(probe: () => string): string {
  try {
    return probe()
  } catch {
    return ''
  }
}

/** A file system that remembers what it was asked. */
export interface ProbedFiles {
  readonly host: FileSystemHost
  /** What was asked so far, in order of path and kind. */
  readonly probes: () => Probes
}

/** Wraps a file system so that a later run can ask the same questions again. Paths from `ignored` are not noted. */
export function probedFiles(host: FileSystemHost, answer: ProbeAnswer, ignored: string): ProbedFiles {
  const asked = new Map<string, readonly [ProbeKind, string, string]>()
  const ask = (kind: ProbeKind, path: string): void => {
    const key = `${kind} ${path}`
    if (path !== ignored && !asked.has(key)) asked.set(key, [kind, path, answer(kind, path)])
  }
  const probing: Partial<FileSystemHost> = {
    readFileSync: (path, encoding) => {
      ask('read', path)
      return host.readFileSync(path, encoding)
    },
    fileExistsSync: (path) => {
      ask('file', path)
      return host.fileExistsSync(path)
    },
    directoryExistsSync: (path) => {
      ask('directory', path)
      return host.directoryExistsSync(path)
    },
    readDirSync: (path) => {
      ask('list', path)
      return host.readDirSync(path)
    },
    realpathSync: (path) => {
      ask('real', path)
      return host.realpathSync(path)
    },
  }
  const probed = new Proxy(host, {
    get(target, name) {
      const own: unknown = Reflect.get(probing, name)
      const value: unknown = own ?? Reflect.get(target, name)
      return own === undefined && typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    host: probed,
    probes: () => [...asked.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, probe]) => probe),
  }
}
