import { describe, expect, it } from 'vitest'
import { expandUriTemplate, parseUriTemplate } from './uri-template.js'

// Values and most results of RFC 6570, section 3.2.
const values = { var: 'value', hello: 'Hello World!', path: '/foo/bar', empty: '', x: '1024', y: '768' }
const list = ['red', 'green', 'blue']

describe('a URI template', () => {
  it.each([
    ['plain', 'plain', {}],
    ['{var}', 'value', { var: 'value' }],
    ['{hello}', 'Hello%20World!', { hello: values.hello }],
    ['{path}/here', '%2Ffoo%2Fbar/here', { path: values.path }],
    ['{x,y}', '1024,768', { x: values.x, y: values.y }],
    ['{+path}/here', '/foo/bar/here', { path: values.path }],
    ['{+path}', '[a]%20%41', { path: '[a] %41' }],
    ['{#path,x}here', '#/foo/bar,1024here', { path: values.path, x: values.x }],
    ['X{.var}', 'X.value', { var: 'value' }],
    ['{/var,x}/here', '/value/1024/here', { var: 'value', x: values.x }],
    ['{;x,y,empty}', ';x=1024;y=768;empty', { x: values.x, y: values.y, empty: '' }],
    ['{?x,y,empty}', '?x=1024&y=768&empty=', { x: values.x, y: values.y, empty: '' }],
    ['{?x,y}', '?y=768', { y: values.y }],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024', { x: values.x }],
    ['{&x}', '', {}],
    ['{list*}', 'red,green,blue', { list }],
    ['{/list*}', '/red/green/blue', { list }],
    ['{/list*}', '', { list: [] }],
    ['{?list*}', '?list=red&list=green&list=blue', { list }],
    ['{/list*}', '/one', { list: 'one' }],
  ])('%s expands to %s', (template, uri, variables) => {
    expect(expandUriTemplate(template, variables)).toBe(uri)
  })

  it.each([['{'], ['}'], ['a{b'], ['{}'], ['{a,}'], ['{a:3}'], ['{=a}'], ['{a b}'], ['{{a}}'], ['{a}}']])(
    '%s is malformed',
    (template) => {
      expect(parseUriTemplate(template)).toBeUndefined()
      expect(() => expandUriTemplate(template, {})).toThrow(`URI template '${template}': the template is malformed.`)
    },
  )

  it.each([
    [{}, "the variable 'id' must be a string of valid Unicode, but is nothing."],
    [{ id: 5 }, "the variable 'id' must be a string of valid Unicode, but is a number."],
    [{ id: ['a'] }, "the variable 'id' must be a string of valid Unicode, but is an array."],
    [{ id: '\uD800' }, "the variable 'id' must be a string of valid Unicode, but is a string."],
    [{ id: 'a', path: [5] }, "the variable 'path' must be a string or an array of strings of valid Unicode"],
    [{ id: 'a', path: 'b', page: '1' }, "there is no variable 'page'. Its variables are id, path."],
  ])('rejects %j', (variables, message) => {
    expect(() => expandUriTemplate('a:///{id}{/path*}', variables)).toThrow(message)
  })

  it('has variables with their kinds', () => {
    expect(parseUriTemplate('a:{/p*}{?q}')).toEqual([
      'a:',
      { operator: '/', variables: [{ name: 'p', isList: true, isOptional: false }] },
      { operator: '?', variables: [{ name: 'q', isList: false, isOptional: true }] },
    ])
  })
})
