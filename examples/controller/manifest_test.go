package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// TestManifest checks that the manifest lists exactly the properties of the Go types. An API server
// drops unlisted properties.
func TestManifest(t *testing.T) {
	text, err := os.ReadFile("widget.crd.yaml")
	require.NoError(t, err)
	crd := &apiextensions.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict(text, crd))
	kinds, _, err := newScheme().ObjectKinds(&Widget{})
	require.NoError(t, err)
	require.Len(t, crd.Spec.Versions, 1)
	v := crd.Spec.Versions[0]
	require.Equal(t, kinds[0].Group, crd.Spec.Group)
	require.Equal(t, kinds[0].Version, v.Name)
	require.Equal(t, kinds[0].Kind, crd.Spec.Names.Kind)
	require.Equal(t, crd.Spec.Names.Plural+"."+crd.Spec.Group, crd.Name)
	require.NotNil(t, v.Subresources.Status)
	require.Equal(t, schemaOf(reflect.TypeFor[Widget]()), bare(*v.Schema.OpenAPIV3Schema))
}

// schemaOf returns the OpenAPI schema for a Go type.
func schemaOf(t reflect.Type) apiextensions.JSONSchemaProps {
	switch {
	case t == reflect.TypeFor[metav1.Time]():
		return apiextensions.JSONSchemaProps{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[metav1.ObjectMeta]():
		return apiextensions.JSONSchemaProps{Type: "object"} // the API server has its own schema for metadata
	case t.Kind() == reflect.Struct:
		s := apiextensions.JSONSchemaProps{Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{}}
		addFields(&s, t)
		return s
	case t.Kind() == reflect.Slice:
		items := schemaOf(t.Elem())
		return apiextensions.JSONSchemaProps{Type: "array", Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &items}}
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int32:
		return apiextensions.JSONSchemaProps{Type: "integer", Format: t.Kind().String()}
	}
	return apiextensions.JSONSchemaProps{Type: t.Kind().String()}
}

func addFields(s *apiextensions.JSONSchemaProps, t reflect.Type) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			addFields(s, f.Type) // an embedded struct
			continue
		}
		s.Properties[name] = schemaOf(f.Type)
		if options == "" {
			s.Required = append(s.Required, name)
		}
	}
}

// bare returns a copy of s with only the types, formats, property names and required lists.
func bare(s apiextensions.JSONSchemaProps) apiextensions.JSONSchemaProps {
	b := apiextensions.JSONSchemaProps{Type: s.Type, Format: s.Format, Required: s.Required}
	if s.Items != nil {
		items := bare(*s.Items.Schema)
		b.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: &items}
	}
	if s.Properties != nil {
		b.Properties = map[string]apiextensions.JSONSchemaProps{}
	}
	for name, p := range s.Properties {
		b.Properties[name] = bare(p)
	}
	return b
}
