// Written by `toolgen import openapi pets`, 127aec0442a8187f. Do not edit; import again, and select and rename with `fromOpenApi`.

import { defineTool, defineToolset } from '@toolgen/dsl'

/** Operations of Pets. */
export const pets = defineToolset('pets', {
  description: 'Operations of Pets.',
  definitions: {
    Kind: {
      type: 'string',
      enum: ['cat', 'dog'],
    },
    Pet: {
      type: 'object',
      required: ['id', 'name', 'kind'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string' },
        kind: { $ref: '#/$defs/Kind' },
        parent: { $ref: '#/$defs/Pet' },
        price: { type: ['number', 'null'] },
      },
    },
    PetInput: {
      type: 'object',
      required: ['name', 'kind'],
      properties: {
        name: { type: 'string' },
        kind: { $ref: '#/$defs/Kind' },
        parent: { $ref: '#/$defs/PetInput' },
        price: { type: ['number', 'null'] },
      },
    },
  },
  openapi: {
    server: 'https://pets.example.com/v1',
    security: { token: { type: 'bearer' }, user: { type: 'basic' } },
    operations: {
      listPets: {
        method: 'GET',
        path: '/pets',
        parameters: [
          { field: 'filter_kind', name: 'filter[kind]', in: 'query', explode: false },
          { field: 'limit', in: 'query' },
          { field: 'X-Request-Id', in: 'header' },
        ],
        responses: { '200': 'json' },
        security: [['token']],
      },
      addPet: {
        method: 'POST',
        path: '/pets',
        body: { type: 'application/json', as: 'json', fields: ['name', 'kind', 'parent', 'price'], required: true },
        responses: { '201': 'json', '204': 'none' },
        security: [['token']],
      },
      putPhoto: {
        method: 'PUT',
        path: '/pets/{id}/photos',
        server: 'https://uploads.example.com',
        parameters: [{ field: 'id', in: 'path' }],
        body: {
          type: 'multipart/form-data',
          as: 'multipart',
          fields: ['body_id', 'photo'],
          names: { body_id: 'id' },
          parts: { photo: { type: 'image/png', bytes: true } },
        },
        responses: { '204': 'none' },
        security: [['token'], ['user']],
      },
    },
  },
  tools: {
    listPets: defineTool({
      description: 'Every pet that is for sale, cheapest first.',
      title: 'List pets',
      toolName: 'pets_listPets',
      payload: {
        type: 'object',
        properties: {
          filter_kind: { type: 'array', items: { $ref: '#/$defs/Kind' } },
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
          'X-Request-Id': { type: 'string' },
        },
      },
      result: {
        type: 'array',
        items: { $ref: '#/$defs/Pet' },
      },
      readOnly: true,
    }),
    addPet: defineTool({
      description: 'Add a pet',
      title: 'Add a pet',
      toolName: 'pets_addPet',
      payload: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          kind: { $ref: '#/$defs/Kind' },
          parent: { $ref: '#/$defs/PetInput' },
          price: { type: ['number', 'null'] },
        },
        required: ['name', 'kind'],
      },
      result: {
        anyOf: [{ $ref: '#/$defs/Pet' }, { type: 'null' }],
      },
    }),
    putPhoto: defineTool({
      description: 'Replace the photo of a pet',
      title: 'Replace the photo of a pet',
      toolName: 'pets_putPhoto',
      payload: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          body_id: { type: 'string' },
          photo: { type: 'string', contentEncoding: 'base64' },
        },
        required: ['id', 'body_id', 'photo'],
      },
      result: {
        type: 'null',
      },
      idempotent: true,
    }),
  },
})
