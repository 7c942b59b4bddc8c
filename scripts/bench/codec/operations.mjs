import { isDeepStrictEqual } from 'node:util'
import { withErrors } from './shapes/errors.mjs'

/**
 * The measured operations, by name:
 *
 * - `title` describes the operation; `reference` is the module that all contestants are compared with
 * - `limits` are the aims for toolgen, as the ratio to the reference, for each shape
 * - `checks` is true if the operation finds errors in values
 * - `inputs(values)` returns the inputs of the measured function
 * - `mistakes(run, values, module)` returns one string for each wrong result of a contestant
 * - `consume(result)` returns a number for a result, so that the engine cannot skip the work
 */
export const operations = {
  validate: {
    title: 'validate a parsed value, reject unknown keys',
    checks: true,
    reference: 'typia',
    limits: { small: 0.8, medium: 0.8, large: 0.5 },
    inputs: ({ texts }) => texts.map((text) => JSON.parse(text)),
    mistakes: validateMistakes,
    consume: (isValid) => (isValid ? 1 : 0),
  },
  decode: {
    title: 'decode JSON to a valid value, reject unknown keys',
    checks: true,
    reference: 'json',
    limits: { small: 1.4, medium: 1.2, large: 1.1 },
    inputs: ({ texts }) => texts,
    mistakes: (decode, { texts, valid, errors }) => decodeMistakes({ decode, texts, expected: valid, errors }),
    consume: (value) => (value === undefined ? 0 : 1),
  },
  strip: {
    title: 'decode JSON to a valid value, drop unknown keys',
    checks: true,
    reference: 'json',
    limits: { small: 1.3, medium: 1.4, large: 1.3 },
    inputs: ({ textsWithUnknownKeys }) => textsWithUnknownKeys,
    mistakes: (decode, { textsWithUnknownKeys, valid, errors }) =>
      decodeMistakes({
        decode,
        texts: textsWithUnknownKeys,
        expected: valid,
        errors: errors.filter((error) => !error.unknownKey),
      }),
    consume: (value) => (value === undefined ? 0 : 1),
  },
  defaults: {
    title: 'decode JSON to a valid value, add defaults',
    checks: true,
    reference: 'json',
    limits: { small: 2.5, medium: 2, large: 2 },
    inputs: ({ texts }) => texts,
    mistakes: (decode, { texts, completed, errors }) => decodeMistakes({ decode, texts, expected: completed, errors }),
    consume: (value) => (value === undefined ? 0 : 1),
  },
  issues: {
    title: 'find all issues of an invalid value',
    checks: true,
    reference: 'ajv',
    limits: { small: 3, medium: 0.6, large: 0.4 },
    inputs: ({ invalid }) => invalid.map(({ value }) => JSON.parse(JSON.stringify(value))),
    mistakes: issuesMistakes,
    consume: (issues) => issues.length,
  },
  encode: {
    title: 'encode a valid value as JSON',
    checks: false,
    reference: 'json',
    limits: { small: 0.5, medium: 1.0, large: 1.1 },
    inputs: ({ texts }) => texts.map((text) => JSON.parse(text)),
    mistakes: encodeMistakes,
    // V8 represents a concatenated string as a tree until code reads a character. Applications always pay for this when they send the string.
    consume: (text) => text.charCodeAt(text.length >> 1),
  },
}

function validateMistakes(isValid, { texts, errors }, { ignoresUnknownKeys }) {
  const values = texts.map((text) => JSON.parse(text))
  const rejected = values.flatMap((value, index) => (isValid(value) === true ? [] : [`rejected valid value ${index}`]))
  const accepted = errors
    .filter((error) => !(ignoresUnknownKeys && error.unknownKey))
    .filter((error) => isValid(withErrors(values[0], [error])) !== false)
    .map((error) => `accepted an error at ${error.pointer}`)
  const others = [null, undefined, 'text', 1, [], [values[0]], {}]
  const acceptedOthers = others.filter((value) => isValid(value) !== false).map((value) => `accepted ${value}`)
  return [...rejected, ...accepted, ...acceptedOthers]
}

/** Returns the wrong results. A valid text must return its `expected` value. Other texts must return `undefined` or throw, as `JSON.parse` does. */
function decodeMistakes({ decode, texts, expected, errors }) {
  const decoded = (text) => {
    try {
      return decode(text)
    } catch {
      return undefined
    }
  }
  const changed = texts.flatMap((text, index) =>
    isDeepStrictEqual(decoded(text), expected[index]) ? [] : [`decoded valid value ${index} to another value`],
  )
  const accepted = errors
    .filter((error) => decoded(JSON.stringify(withErrors(expected[0], [error]))) !== undefined)
    .map((error) => `accepted an error at ${error.pointer}`)
  const invalidTexts = ['', '{', 'null', '[]', '"text"', texts[0].slice(0, -1), `${texts[0]}}`]
  const acceptedTexts = invalidTexts
    .filter((text) => decoded(text) !== undefined)
    .map((text) => `accepted the text ${text.slice(0, 20)}`)
  return [...changed, ...accepted, ...acceptedTexts]
}

function issuesMistakes(issuesOf, { texts, invalid }, { pointers }) {
  const ofValid = texts.filter((text) => issuesOf(JSON.parse(text)).length > 0).map(() => 'issues of a valid value')
  const others = invalid.flatMap(({ value, pointers: expected }) => {
    const reported = issuesOf(value).flatMap(pointers)
    return [
      ...expected.filter((pointer) => !reported.includes(pointer)).map((pointer) => `missed the error at ${pointer}`),
      ...reported.filter((pointer) => !expected.includes(pointer)).map((pointer) => `an issue at "${pointer}"`),
    ]
  })
  return [...ofValid, ...others]
}

function encodeMistakes(encode, { valid }) {
  return valid.flatMap((value, index) => {
    const text = encode(value)
    const isSame = isDeepStrictEqual(JSON.parse(text), value) && text.length === JSON.stringify(value).length
    return isSame ? [] : [`encoded valid value ${index} as another value`]
  })
}
