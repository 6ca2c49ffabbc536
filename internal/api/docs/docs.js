// Starts Swagger UI on the description that this server has. The key stays in the page: nothing is stored.
const reference = document.getElementById("reference");
window.SwaggerUIBundle({
  url: reference.dataset.description,
  domNode: reference,
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
});
