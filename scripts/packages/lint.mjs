import { checkPackage } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

/**
 * What "are the types wrong" looks at that these packages do not claim: they are ES modules alone, found by `exports`. The
 * same two are ignored by its own profile `esm-only`.
 */
const IGNORED = ['node10', 'node16-cjs']

/** What publint finds in a packed package: sentences. */
export async function publintFindings({ data }) {
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => formatMessage(message, pkg, { color: false }))
}

/** Findings of "are the types wrong" for imports from an ES module or a bundler; none for a package without modules to import. */
export async function attwFindings({ inside, manifest }) {
  if (Object.values(manifest.exports).every((target) => typeof target === 'string')) return []
  const { types, problems } = await checkPackage(withKnownFolders(inside))
  if (types === false) return ['It has no types.']
  return problems.filter(({ resolutionKind }) => !IGNORED.includes(resolutionKind)).map((each) => JSON.stringify(each))
}

/** The package looks through all its files for each folder that it is asked about: a third of the time with a thousand files. */
function withKnownFolders(inside) {
  const folders = new Set(inside.listFiles().flatMap(foldersAbove))
  inside.directoryExists = (path) => folders.has(path.replace(/\/$/, ''))
  return inside
}

const foldersAbove = (path) => path.split('/').map((_, i, parts) => parts.slice(0, i).join('/'))
