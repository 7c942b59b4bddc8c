import type { Disk, EntryKind } from '../files.js'

type Node =
  | { readonly kind: 'file'; content: Uint8Array; readonly born: number }
  | { readonly kind: Exclude<EntryKind, 'file'> }

export interface MemoryDisk extends Disk {
  /** Returns the number of disk operations that the tested code has requested. */
  readonly asked: () => number
  /**
   * Makes disk operations fail. Operations have the numbers 1, 2, 3 and so on. `whether` receives the number of an operation, and returns true if the
   * operation must fail.
   */
  readonly refuse: (whether: (operation: number) => boolean, code?: string) => void
  readonly put: (path: string, node: string | Exclude<EntryKind, 'file'>) => void
  /**
   * Returns an object with one property for each path, in sorted order. The value is the content of a file, or a text such as
   * `<folder>`.
   */
  readonly tree: () => Readonly<Record<string, string>>
  /** Returns the number of the disk operation that created a file. */
  readonly born: (path: string) => number | undefined
}

export function memoryDisk(files: Readonly<Record<string, string>> = {}): MemoryDisk {
  const nodes = new Map<string, Node>([['', { kind: 'folder' }]])
  let operations = 0
  let refusal: { readonly whether: (operation: number) => boolean; readonly code: string } | undefined

  const fail = (code: string, path: string): never => {
    throw Object.assign(new Error(`${code}: '${path}'`), { code, path, syscall: 'memory' })
  }
  const step = (path: string): void => {
    operations += 1
    if (refusal?.whether(operations)) fail(refusal.code, path)
  }
  const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
  const children = (folder: string): string[] =>
    [...nodes.keys()].filter((path) => path !== '' && path !== folder && parentOf(path) === folder)
  const needFolder = (path: string): void => {
    const parent = nodes.get(parentOf(path))
    if (parent === undefined) fail('ENOENT', path)
    if (parent?.kind !== 'folder') fail('ENOTDIR', path)
  }
  const needFile = (path: string): Extract<Node, { kind: 'file' }> => {
    const node = nodes.get(path)
    if (node?.kind === 'file') return node
    return fail(node === undefined ? 'ENOENT' : 'EISDIR', path)
  }

  const disk: MemoryDisk = {
    asked: () => operations,
    refuse: (whether, code = 'EIO') => {
      refusal = { whether, code }
    },
    put(path, node) {
      const parent = parentOf(path)
      if (!nodes.has(parent)) disk.put(parent, 'folder')
      const kinds: readonly string[] = ['folder', 'link', 'other']
      if (kinds.includes(node)) nodes.set(path, { kind: node as Exclude<EntryKind, 'file'> })
      else nodes.set(path, { kind: 'file', content: Buffer.from(node), born: 0 })
    },
    tree: () =>
      Object.fromEntries(
        [...nodes]
          .filter(([path]) => path !== '')
          .map(([path, node]) => [path, node.kind === 'file' ? Buffer.from(node.content).toString() : `<${node.kind}>`])
          .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      ),
    born(path) {
      const node = nodes.get(path)
      return node?.kind === 'file' ? node.born : undefined
    },
    kind(path) {
      step(path)
      return nodes.get(path)?.kind
    },
    list(folder) {
      step(folder)
      if (nodes.get(folder)?.kind !== 'folder') fail('ENOTDIR', folder)
      return children(folder).map((path) => ({
        name: path.slice(path.lastIndexOf('/') + 1),
        kind: nodes.get(path)?.kind ?? 'other',
      }))
    },
    read(path) {
      step(path)
      return needFile(path).content
    },
    write(path, content) {
      step(path)
      needFolder(path)
      if (nodes.has(path)) needFile(path)
      nodes.set(path, { kind: 'file', content: Buffer.from(content), born: operations })
    },
    keep(path, copy) {
      step(path)
      needFolder(copy)
      nodes.set(copy, { ...needFile(path) })
    },
    move(from, to) {
      step(from)
      needFolder(to)
      const node = needFile(from)
      nodes.delete(from)
      nodes.set(to, node)
    },
    removeFile(path) {
      step(path)
      if (nodes.get(path)?.kind === 'folder') fail('EPERM', path)
      if (!nodes.delete(path)) fail('ENOENT', path)
    },
    makeFolder(path) {
      step(path)
      needFolder(path)
      if (nodes.has(path)) fail('EEXIST', path)
      nodes.set(path, { kind: 'folder' })
    },
    removeFolder(path) {
      step(path)
      if (nodes.get(path)?.kind !== 'folder') fail('ENOTDIR', path)
      if (children(path).length > 0) fail('ENOTEMPTY', path)
      nodes.delete(path)
    },
  }
  for (const [path, content] of Object.entries(files)) disk.put(path, content)
  return disk
}
