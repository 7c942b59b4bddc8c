import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Something that an entry of a package exports. */
export interface Exported {
  readonly name: string
  readonly isType: boolean
  /** The file that declares it, below the sources. */
  readonly file: string
  /** The first sentence of its doc comment. */
  readonly about: string
}

const lists = /^export (type )?\{([^}]*)\} from '([^']+)'/gm

/** What an entry exports by name, from the files that declare it. */
export function exportsOf(sources: string, entry: string): readonly Exported[] {
  const text = readFileSync(join(sources, entry), 'utf8')
  return [...text.matchAll(lists)].flatMap(([, allTypes, names = '', from = '']) =>
    names
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map((each) => {
        const [, own, original = '', name = original] = /^(type )?(\S+)(?: as (\S+))?$/.exec(each) ?? []
        const isType = (own ?? allTypes) !== undefined
        const file = join(sources, dirname(entry), from.replace(/\.js$/, '.ts'))
        return { name, isType, ...declared(sources, file, original) }
      }),
  )
}

function declared(sources: string, file: string, name: string): Pick<Exported, 'file' | 'about'> {
  const text = readFileSync(file, 'utf8')
  const declaration = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n(?://.*\\n)*export (?:abstract |async |const |class |function\\*? |interface |type )+${name}\\b`,
  )
  const found = declaration.exec(text)?.[1]
  if (found !== undefined) return { file: relative(sources, file), about: firstSentence(found) }
  const onward = [...text.matchAll(lists)].find(([, , names = '']) => names.split(/[\s,]+/).includes(name))?.[3]
  if (onward === undefined) throw new Error(`${file} has no doc comment of ${name}`)
  return declared(sources, join(dirname(file), onward.replace(/\.js$/, '.ts')), name)
}

/** The first sentence of a comment: what the thing is, or what it does. */
function firstSentence(comment: string): string {
  const [paragraph = ''] = comment
    .replaceAll(/^\s*\* ?/gm, '')
    .trim()
    .split(/\n\s*\n|\n@|\n- /)
  const line = paragraph.replaceAll(/\{@link ([^}]+)\}/g, '`$1`').replaceAll(/\s+/g, ' ')
  return (/^.*?(?<!e\.g)[.](?= |$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, '')
}
