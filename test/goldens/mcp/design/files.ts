import { defineTool, defineToolset } from '@toolgen/dsl'

/** As an import writes it: word for word what the server declared. */
export const files = defineToolset('files', {
  description: 'Tools of secure-filesystem-server.',
  mcp: {
    captured: true,
    server: { name: 'secure-filesystem-server', version: '0.2.0' },
    names: { readFile: 'read_file', listRoots: 'list.roots', tree: 'tree' },
  },
  tools: {
    readFile: defineTool({
      title: 'Read file',
      description: 'Read the complete contents of a file.',
      toolName: 'files_read_file',
      payload: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { path: { type: 'string' }, head: { type: 'number', description: 'How many lines' } },
        required: ['path'],
      },
      result: {
        type: 'object',
        properties: { content: { type: 'string' } },
        required: ['content'],
        additionalProperties: false,
      },
      readOnly: true,
    }),
    listRoots: defineTool({
      description: 'list.roots',
      toolName: 'files_list_roots',
      payload: { type: 'object', properties: {} },
      result: true,
    }),
    tree: defineTool({
      description: 'The files below a folder, as a tree.',
      toolName: 'files_tree',
      payload: {
        type: 'object',
        properties: { root: { $ref: '#/$defs/folder' } },
        required: ['root'],
        $defs: { folder: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } },
      },
      result: { $ref: '#/definitions/node', definitions: { node: node() } },
    }),
  },
})

function node() {
  return {
    type: 'object',
    properties: {
      name: { type: 'string' },
      kind: { oneOf: [{ const: 'file' }, { const: 'folder' }] },
      children: { type: 'array', items: { $ref: '#/definitions/node' } },
    },
    required: ['name', 'kind'],
  }
}
