/** Caches the terms of each word, because the texts of tools often contain the same words. */
export class IndexTerms {
  readonly #byWord = new Map<string, readonly string[]>()

  of(text: string): string[] {
    const terms: string[] = []
    for (const word of words(text)) {
      const own = this.#byWord.get(word) ?? indexTerms(word)
      this.#byWord.set(word, own)
      for (const term of own) terms.push(term)
    }
    return terms
  }
}

function indexTerms(word: string): readonly string[] {
  const parts = partsOf(word)
  return (parts.length > 1 ? [...parts, word.toLowerCase()] : parts)
    .filter((part) => !ignored.has(part))
    .map(normalized)
}

export function queryTerms(query: string): ReadonlyMap<string, number> {
  const own = words(query)
    // A name such as `GitHub` is one word.
    .flatMap((word) => (/^\p{Lu}/u.test(word) ? [word.toLowerCase()] : [...partsOf(word), word.toLowerCase()]))
    .filter((word) => !ignored.has(word))
    .map(normalized)
    .slice(0, maxTerms)
  const terms = new Map(own.map((term) => [term, 1]))
  for (const term of own)
    for (const synonym of synonyms.get(term) ?? []) if (!terms.has(synonym)) terms.set(synonym, 0.5)
  return terms
}

/** Each sentence of a query can describe another task, so each sentence is searched separately. */
export function sentencesOf(query: string): readonly string[] {
  const sentences = query.split(/(?<=[.!?;])\s+|\n+/u).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  return sentences.slice(0, maxSentences)
}

/** These limits keep the search fast for very long queries. */
const maxTerms = 100
const maxSentences = 20

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? []

function partsOf(word: string): readonly string[] {
  const spaced = word.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replaceAll(/(\p{Lu}+)(\p{Lu}\p{Ll})/gu, '$1 $2')
  return spaced.toLowerCase().split(' ')
}

/** Keeps all other endings, because their removal would merge words with different meanings. */
function normalized(word: string): string {
  return word.replace(/(?<=[a-z]{3})ies$/, 'y').replace(/(?<=[a-z]{2}[^s])s$/, '')
}

const ignored = new Set(
  `a an and are as at be been by can could do does did for from give had has have how i if in into is it its let like me my need of on or our
please so some such that the their them then there these they this those to us want was we were what when where which who whom whose why will
with would you your yours`.split(/\s/),
)

const groups = `
get fetch retrieve read show view display
list all enumerate
search find look lookup query
create add new make write generate insert
delete remove erase forget drop destroy
update edit change modify replace patch
send post submit publish
run execute start launch trigger
stop cancel end abort terminate kill
approve accept confirm
reject deny decline refuse
copy duplicate clone fork
move transfer relocate rename
merge combine join
schedule cron nightly every periodic
retry rerun again restart
compare diff difference
undo revert rollback restore
check validate verify lint
install deploy
image picture photo drawing chart
screenshot picture image capture
directory folder
file document
message mail
comment remark note
reply answer respond
issue bug problem ticket
card ticket
task todo
user person people member colleague coworker
channel room
page website site
url link address
video film movie clip
record film capture
node machine server
app application program
log output
mobile phone
chart graph plot diagram visualise visualize draw
repository project repo
directions route drive
elevation height altitude
paper article publication scholarly
budget money cost
cpu processor
column list
table database
row record entry
workflow pipeline build job
documentation manual docs`

const synonyms = synonymTable(groups)

function synonymTable(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const table = new Map<string, Set<string>>()
  for (const line of text.trim().split('\n')) {
    const group = line.split(' ').map(normalized)
    for (const word of group) {
      const others = table.get(word) ?? new Set()
      for (const other of group) if (other !== word) others.add(other)
      table.set(word, others)
    }
  }
  return table
}
