import okapi from 'okapibm25'

const score = okapi.default ?? okapi

/** Searches with plain BM25 over the words of names and descriptions. */
export function searchOver(tools) {
  const documents = tools.map(({ id, description }) => wordsOf(`${id} ${description}`).join(' '))
  return async (queries, limit) =>
    queries.map((query) =>
      score(documents, wordsOf(query))
        .map((value, index) => ({ value, index }))
        .filter(({ value }) => value > 0)
        .sort((a, b) => b.value - a.value || a.index - b.index)
        .slice(0, limit)
        .map(({ index }) => tools[index].id),
    )
}

const wordsOf = (text) =>
  text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []
